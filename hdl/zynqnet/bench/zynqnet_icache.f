// ZynqNet's image cache alone.
+incdir+../../common
../zynqnet_pkg.sv
../zynqnet_image_bank.sv
../zynqnet_image_cache.sv
zynqnet_block_icache.sv
