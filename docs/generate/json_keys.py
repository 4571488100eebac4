def write():
    return ""
