// ZynqNet's memory controller alone.
+incdir+../../common
../../axis/fifo_sync.sv
../zynqnet_pkg.sv
../zynqnet_layer.sv
../zynqnet_reader.sv
../zynqnet_writer.sv
zynqnet_block_delay.sv
zynqnet_block_memctl.sv
