// SPDX-License-Identifier: Apache-2.0
//
// objfifo_switch_regs - routes of the switch, where packets go, and settings of the workers.
//
// Map in docs/objfifo-array.md; latency and throughput are those of axil_regs. What is not allowed
// answers SLVERR and changes nothing.

module objfifo_switch_regs
  import objfifo_switch_regs_pkg::*;
  import objfifo_packet_pkg::*;
#(
  parameter int unsigned SOURCES = 4,
  parameter int unsigned TARGETS = 4,
  parameter int unsigned NW      = 1
) (
  input  logic                           aclk,
  input  logic                           aresetn,

  input  axil_pkg::request_t             request,
  output axil_pkg::response_t            response,

  output logic [TARGETS-1:0][7:0]        route,
  output logic [TARGETS-1:0]             routed,
  output take_t [TARGETS-1:0]            take,
  output logic [SOURCES-1:0]             packets,
  output slot_t [SOURCES-1:0][Slots-1:0] slots,
  output logic [NW-1:0][31:0]            add,
  output logic [NW-1:0][15:0]            work
);

  if (SOURCES == 0 || SOURCES > 256) begin : gen_bad_sources
    $fatal(1, "objfifo_switch_regs: SOURCES must be 1 to 256, what the map has room for");
  end
  if (TARGETS == 0 || TARGETS > 256) begin : gen_bad_targets
    $fatal(1, "objfifo_switch_regs: TARGETS must be 1 to 256, what the map has room for");
  end
  if (NW == 0 || NW > 64) begin : gen_bad_nw
    $fatal(1, "objfifo_switch_regs: NW must be 1 to 64, what the map has room for");
  end

  logic        write;
  logic [13:0] write_addr;
  logic [31:0] write_data;
  logic [3:0]  write_strb;
  logic        write_error;
  logic        read;
  logic [13:0] read_addr;
  logic [31:0] read_data_q, read_data_d;
  logic        read_error_q, read_error_d;

  axil_regs #(
    .ADDR_W(14)
  ) u_axil (
    .aclk,
    .aresetn,
    .request,
    .response,
    .write,
    .write_addr,
    .write_data,
    .write_strb,
    .write_error,
    .read,
    .read_addr,
    .read_data (read_data_q),
    .read_error(read_error_q)
  );

  // Addresses of words.
  logic [13:0] waddr;
  logic [13:0] raddr;

  assign waddr = {write_addr[13:2], 2'b00};
  assign raddr = {read_addr[13:2], 2'b00};

  function automatic logic [13:0] route_at(input int unsigned target);
    route_at = AddrRoute + 14'(StrideRoute * target);
  endfunction

  function automatic logic [13:0] source_at(input int unsigned source);
    source_at = AddrSource + 14'(StrideSource * source);
  endfunction

  function automatic logic [13:0] slot_at(input int unsigned source, input int unsigned number);
    slot_at = AddrSlot + 14'(StrideSlot * (Slots * source + number));
  endfunction

  function automatic logic [13:0] worker_at(input int unsigned worker, input logic [13:0] offset);
    worker_at = AddrWorker + 14'(StrideWorker * worker) + offset;
  endfunction

  logic [TARGETS-1:0]            wr_route;
  logic [SOURCES-1:0]            wr_source;
  logic [SOURCES-1:0][Slots-1:0] wr_slot;
  logic [NW-1:0]                 wr_add;
  logic [NW-1:0]                 wr_work;

  always_comb begin
    for (int unsigned t = 0; t < TARGETS; t++) begin
      wr_route[t] = write_strb == '1 && waddr == route_at(t);
    end
    for (int unsigned s = 0; s < SOURCES; s++) begin
      wr_source[s] = write_strb == '1 && waddr == source_at(s);
      for (int unsigned k = 0; k < Slots; k++) begin
        wr_slot[s][k] = write_strb == '1 && waddr == slot_at(s, k);
      end
    end
    for (int unsigned w = 0; w < NW; w++) begin
      wr_add[w]  = write_strb == '1 && waddr == worker_at(w, OffsetWorkerAdd);
      wr_work[w] = write_strb == '1 && waddr == worker_at(w, OffsetWorkerWork);
    end
  end
  assign write_error = wr_route == '0 && wr_source == '0 && wr_slot == '0 && wr_add == '0
      && wr_work == '0;

  function automatic take_t take_of(input logic [31:0] data);
    take_of.msels       = data[RouteMselsLsb+:RouteMselsWidth];
    take_of.arbiter     = data[RouteArbiterLsb+:RouteArbiterWidth];
    take_of.drop_header = data[RouteDropHeaderLsb];
    take_of.packet      = data[RoutePacketLsb];
  endfunction

  function automatic slot_t slot_of(input logic [31:0] data);
    slot_of.arbiter = data[SlotArbiterLsb+:SlotArbiterWidth];
    slot_of.msel    = data[SlotMselLsb+:SlotMselWidth];
    slot_of.enable  = data[SlotEnableLsb];
    slot_of.mask    = data[SlotMaskLsb+:SlotMaskWidth];
    slot_of.id      = data[SlotIdLsb+:SlotIdWidth];
  endfunction

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      route   <= '0;
      routed  <= '0;
      take    <= '0;
      packets <= '0;
      slots   <= '0;
      add     <= '0;
      work    <= '0;
    end else begin
      for (int unsigned t = 0; t < TARGETS; t++) begin
        if (write && wr_route[t]) begin
          route[t]  <= write_data[RouteSourceLsb+:RouteSourceWidth];
          routed[t] <= write_data[RouteRoutedLsb];
          take[t]   <= take_of(write_data);
        end
      end
      for (int unsigned s = 0; s < SOURCES; s++) begin
        if (write && wr_source[s]) begin
          packets[s] <= write_data[SourcePacketsLsb];
        end
        for (int unsigned k = 0; k < Slots; k++) begin
          if (write && wr_slot[s][k]) begin
            slots[s][k] <= slot_of(write_data);
          end
        end
      end
      for (int unsigned w = 0; w < NW; w++) begin
        if (write && wr_add[w]) begin
          add[w] <= write_data;
        end
        if (write && wr_work[w]) begin
          work[w] <= write_data[WorkerWorkWidth-1:0];
        end
      end
    end
  end

  always_comb begin
    read_data_d  = '0;
    read_error_d = 1'b1;
    if (raddr == AddrId) begin
      read_data_d  = ResetId;
      read_error_d = 1'b0;
    end
    for (int unsigned t = 0; t < TARGETS; t++) begin
      if (raddr == route_at(t)) begin
        read_data_d[RouteSourceLsb+:RouteSourceWidth]   = route[t];
        read_data_d[RouteRoutedLsb]                     = routed[t];
        read_data_d[RoutePacketLsb]                     = take[t].packet;
        read_data_d[RouteDropHeaderLsb]                 = take[t].drop_header;
        read_data_d[RouteArbiterLsb+:RouteArbiterWidth] = take[t].arbiter;
        read_data_d[RouteMselsLsb+:RouteMselsWidth]     = take[t].msels;
        read_error_d                                    = 1'b0;
      end
    end
    for (int unsigned s = 0; s < SOURCES; s++) begin
      if (raddr == source_at(s)) begin
        read_data_d[SourcePacketsLsb] = packets[s];
        read_error_d                  = 1'b0;
      end
      for (int unsigned k = 0; k < Slots; k++) begin
        if (raddr == slot_at(s, k)) begin
          read_data_d[SlotIdLsb+:SlotIdWidth]           = slots[s][k].id;
          read_data_d[SlotMaskLsb+:SlotMaskWidth]       = slots[s][k].mask;
          read_data_d[SlotEnableLsb]                    = slots[s][k].enable;
          read_data_d[SlotMselLsb+:SlotMselWidth]       = slots[s][k].msel;
          read_data_d[SlotArbiterLsb+:SlotArbiterWidth] = slots[s][k].arbiter;
          read_error_d                                  = 1'b0;
        end
      end
    end
    for (int unsigned w = 0; w < NW; w++) begin
      if (raddr == worker_at(w, OffsetWorkerAdd)) begin
        read_data_d  = add[w];
        read_error_d = 1'b0;
      end
      if (raddr == worker_at(w, OffsetWorkerWork)) begin
        read_data_d  = 32'(work[w]);
        read_error_d = 1'b0;
      end
    end
  end

  always_ff @(posedge aclk) begin
    if (read) begin
      read_data_q  <= read_data_d;
      read_error_q <= read_error_d;
    end
  end

  // Addresses are those of whole words.
  logic unused_bits;
  assign unused_bits = ^{write_addr[1:0], read_addr[1:0]};

endmodule
