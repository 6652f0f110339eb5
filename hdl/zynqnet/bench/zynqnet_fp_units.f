// ZynqNet's IEEE single precision multipliers and adders alone.
../zynqnet_fp_mul.sv
../zynqnet_fp_add.sv
zynqnet_fp_units.sv
