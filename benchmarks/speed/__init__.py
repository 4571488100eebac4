"""Speed against sacreBLEU and other tools, growth of time and memory, and what numba's first use takes."""
