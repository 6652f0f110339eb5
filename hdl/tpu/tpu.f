// TPU command front end: fetch, assembly, dependencies, barriers and dispatch for 1 to 8 cores.
+incdir+../common
../axil/axil_pkg.sv
../axil/axil_regs.sv
../axis/fifo_sync.sv
tpu_regs_pkg.sv
tpu_pkg.sv
tpu_assemble.sv
tpu_dispatch.sv
tpu_engine.sv
tpu_errors.sv
tpu_fetch.sv
tpu_front.sv
tpu_groups.sv
tpu_head.sv
tpu_messages.sv
tpu_regs.sv
tpu_stub.sv
