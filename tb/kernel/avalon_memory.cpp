// SPDX-License-Identifier: Apache-2.0
//
// avalon_memory.cpp - Avalon-MM agent memory on plain arrays.
//
// With READDATAVALID, data come as many cycles after their request was taken as the latency and the jitter say, and WAITREQUEST is
// that of a pattern. Without it the latency is the port's, and WAITREQUEST lasts as long as the timing says. A write is stored, and a
// read looks, when it is taken. The beats of a burst are accesses of their own.

#include <deque>

#include "avalon.h"
#include "word_memory.h"

namespace goldbeat {

class AvalonMemory final : public WordMemory {
 public:
  /// `words`: addresses count words, not bytes. `latency`: of reads without READDATAVALID. `allowance`: transfers while WAITREQUEST
  /// is high.
  AvalonMemory(std::string name, const GbAvalonNames& names, bool words, std::int64_t latency, std::int64_t allowance)
      : WordMemory(std::move(name)), at_(names, Side::kSlave), latency_(latency), allowance_(allowance) {
    bytes_ = at_.bytes();
    one_error_ = false;
    while (words && (1ULL << shift_) < bytes_) ++shift_;
  }

  void drive() override {
    at_.waitrequest.set(!ready_);
    at_.readdatavalid.set(reads_now_);
    at_.writeresponsevalid.set(writes_now_);
    const bool now = at_once() && ready_ && stands_ && at_.read.get();
    if (reads_now_ || now) {
      at_.readdata.set(now ? shown(looked_, at_.lanes()) : reads_.front().value);
    } else {
      idle_.drive(at_.readdata);
    }
    if (reads_now_ || writes_now_ || now) {
      at_.response.set(log_[now ? looked_ : (reads_now_ ? reads_ : writes_).front().row].response);
    } else {
      idle_.drive(at_.response);
    }
  }

  std::string waiting() const override {
    return reads_.empty() ? writes_.empty() ? "" : open_text(writes_.front().row) : open_text(reads_.front().row);
  }

 protected:
  void forget() override {
    reads_.clear();
    writes_.clear();
    at_.readdata.set(0);
    at_.response.set(0);
    reads_now_ = writes_now_ = ready_ = stands_ = false;
    left_ = 0;
    burst_ = 0;
    spent_ = 0;
  }

  bool edge(std::int64_t cycle) override {
    if (reads_now_) finish(reads_, cycle);
    if (writes_now_) finish(writes_, cycle);
    const bool asks = at_.asks(), shown = ready_ || reads_now_ || writes_now_;
    const bool takes = asks && (ready_ || spent_ < allowance_);
    spent_ = ready_ ? 0 : spent_ + takes;
    if (takes) {
      take(cycle);
      stands_ = false;
    } else if (asks && !stands_) {
      stands_ = true;
      wait_ = at_.piped() ? 0 : latency(at_.write.get()) - 1;
    } else if (!asks) {
      stands_ = false;
    }
    ready_ = next_ready(cycle, asks && stands_);
    reads_now_ = !reads_.empty() && reads_.front().due <= cycle + 1;
    // One response at a time.
    writes_now_ = !reads_now_ && !writes_.empty() && writes_.front().due <= cycle + 1;
    return shown || ready_ || reads_now_ || writes_now_;
  }

 private:
  struct Asked {
    std::size_t row;
    std::int64_t due;     ///< cycle of the answer
    std::uint64_t value;  ///< read
  };

  /// Data come with the cycle that takes a read.
  bool at_once() const { return !at_.piped() && latency_ == 0; }

  /// No WAITREQUEST in the next cycle.
  bool next_ready(std::int64_t cycle, bool stood) {
    // With an allowance, a host may wait for WAITREQUEST before it asks.
    const bool drawn = pattern_.next(stood || allowance_ > 0);
    if (at_.waitrequest.absent()) return true;
    if (at_.piped()) return drawn;
    if (!stood || wait_-- > 0) return latency_ > 0 && !stood && drawn;
    if (latency_ == 0 && at_.read.get()) looked_ = begin(cycle, false, at_.address.get() << shift_);
    return true;
  }

  void take(std::int64_t cycle) {
    const bool write = at_.write.get();
    if (!write && at_once()) {
      end(looked_, cycle);
      return;
    }
    const std::uint64_t count = at_.count();
    if (!write) {
      for (std::uint64_t beat = 0; beat < count; ++beat) ask(cycle, false, (at_.address.get() << shift_) + beat * bytes_);
      return;
    }
    if (left_ == 0) {
      burst_ = at_.address.get() << shift_;
      left_ = count;
    }
    ask(cycle, true, burst_);
    burst_ += bytes_;
    --left_;
  }

  void ask(std::int64_t cycle, bool write, std::uint64_t address) {
    const std::size_t row = begin(cycle, write, address);
    const std::int64_t due = cycle + (at_.piped() || write ? latency(write) : latency_);
    if (write) store(row, at_.writedata.get(), at_.lanes());
    const Asked one{row, due, write ? 0 : shown(row, at_.lanes())};
    if (!write) {
      reads_.push_back(one);
    } else if (left_ == 1 && !at_.writeresponsevalid.absent()) {
      // A burst has one response.
      writes_.push_back(one);
    } else {
      end(row, cycle);
    }
  }

  void finish(std::deque<Asked>& open, std::int64_t cycle) {
    end(open.front().row, cycle);
    open.pop_front();
  }

  AvalonPorts at_;
  std::int64_t latency_, allowance_;
  std::int64_t spent_ = 0;  ///< transfers since WAITREQUEST has risen
  unsigned shift_ = 0;
  std::deque<Asked> reads_, writes_;
  std::uint64_t burst_ = 0, left_ = 0;  ///< of a burst of writes: address, and beats that have not come
  std::int64_t wait_ = 0;              ///< cycles of WAITREQUEST that the request still gets
  std::size_t looked_ = 0;             ///< row of a read without latency
  bool ready_ = false;                 ///< no WAITREQUEST
  bool stands_ = false;                ///< a request waits since an edge before
  bool reads_now_ = false, writes_now_ = false;  ///< an answer is shown
};

}  // namespace goldbeat

extern "C" {

void* gb_avalon_memory(const char* name, const char* port, const goldbeat::GbAvalonNames* names, int words, int latency, int allowance) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::AvalonMemory>(name, *names, words != 0, latency, allowance);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
