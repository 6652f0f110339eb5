// ZynqNet's image cache alone.
../zynqnet_pkg.sv
../zynqnet_image_bank.sv
../zynqnet_image_cache.sv
zynqnet_block_icache.sv
