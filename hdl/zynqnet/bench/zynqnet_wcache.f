// ZynqNet's weights cache alone.
../zynqnet_pkg.sv
../zynqnet_weights_bank.sv
../zynqnet_weights_cache.sv
zynqnet_block_delay.sv
zynqnet_block_wcache.sv
