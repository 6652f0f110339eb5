// SPDX-License-Identifier: Apache-2.0
//
// map_faults - N times map_block; the n-th has FAULT n, and the first has none.

module map_faults #(
  parameter int N = 25
) (
  input  logic                 clk,
  input  logic                 rst_n,
  input  logic [N-1:0][8:0]    s_apb_paddr,
  input  logic [N-1:0]         s_apb_psel,
  input  logic [N-1:0]         s_apb_penable,
  input  logic [N-1:0]         s_apb_pwrite,
  input  logic [N-1:0][31:0]   s_apb_pwdata,
  input  logic [N-1:0][3:0]    s_apb_pstrb,
  output logic [N-1:0]         s_apb_pready,
  output logic [N-1:0][31:0]   s_apb_prdata,
  output logic [N-1:0]         s_apb_pslverr
);

  for (genvar n = 0; n < N; n++) begin : gen_block
    map_block #(
      .FAULT(n)
    ) u_block (
      .clk,
      .rst_n,
      .s_apb_paddr(s_apb_paddr[n]),
      .s_apb_psel(s_apb_psel[n]),
      .s_apb_penable(s_apb_penable[n]),
      .s_apb_pwrite(s_apb_pwrite[n]),
      .s_apb_pwdata(s_apb_pwdata[n]),
      .s_apb_pstrb(s_apb_pstrb[n]),
      .s_apb_pready(s_apb_pready[n]),
      .s_apb_prdata(s_apb_prdata[n]),
      .s_apb_pslverr(s_apb_pslverr[n])
    );
  end

endmodule
