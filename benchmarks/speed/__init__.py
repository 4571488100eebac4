"""Speed: the workbench against sacreBLEU and other tools, how time and memory grow, and what numba's first use takes."""
