// ZynqNet's output cache, drain and pool cache.
../zynqnet_pkg.sv
../zynqnet_fp_add.sv
../zynqnet_add.sv
../zynqnet_round_shift.sv
../zynqnet_requant.sv
../zynqnet_output_cache.sv
../zynqnet_drain.sv
zynqnet_block_gpool.sv
