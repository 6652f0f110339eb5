// ZynqNet's processing elements alone.
../zynqnet_pkg.sv
../zynqnet_fp_add.sv
../zynqnet_fp_mul.sv
../zynqnet_add.sv
../zynqnet_mul.sv
../zynqnet_pe.sv
zynqnet_block_delay.sv
zynqnet_block_pe.sv
