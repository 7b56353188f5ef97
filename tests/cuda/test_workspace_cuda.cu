// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One workspace for many calls: of other sizes, types and streams, in graphs, beyond the last
// epoch.
#include <string>
#include <thread>

#include "cuda_cases.cuh"

namespace cuda_cases {

using WorkspaceCuda = OnGpu;

const std::size_t n = (std::size_t{1} << 20) + 321;
const std::vector<float>& values() {
  static const std::vector<float> all = some_values<float>(n);
  return all;
}
const std::vector<float>& expected() {
  static const std::vector<float> all = [] {
    std::vector<float> out(n);
    upsweep::inclusive_scan(upsweep::par, values().begin(), values().end(), out.begin());
    return out;
  }();
  return all;
}

TEST_F(WorkspaceCuda, ServesSizesAndTypesInTurn) {
  uc::workspace space;
  const auto hashes = some_values<std::uint64_t>(n, 9);
  std::vector<std::uint64_t> hashed(n);
  upsweep::inclusive_scan(upsweep::seq, hashes.begin(), hashes.end(), hashed.begin(), tree_hash{});
  const device_array<float> in(values());
  const device_array<std::uint64_t> in2(hashes);
  for (int repeat = 0; repeat < 5; ++repeat)
    for (const uc::path path : paths)
      for (const std::size_t m : {n, n / 2, std::size_t{70000}, n}) {
        const auto who = uc::on(nullptr, space).by(path);
        const device_array<float> out(m);
        const device_array<std::uint64_t> out2(m);
        upsweep::inclusive_scan(who, in.data(), in.data() + m, out.data());
        upsweep::inclusive_scan(who, in2.data(), in2.data() + m, out2.data(), tree_hash{});
        const auto end = static_cast<std::ptrdiff_t>(m);
        ASSERT_EQ(first_difference(out.get(), {expected().begin(), expected().begin() + end}), m);
        ASSERT_EQ(first_difference(out2.get(), {hashed.begin(), hashed.begin() + end}), m);
      }
}

// Words of the launch before are taken for published ones unless the epochs differ; and after the
// last epoch all words are cleared, since the first ones may still lie there.
TEST_F(WorkspaceCuda, SurvivesTheLastEpoch) {
  uc::workspace space;
  const device_array<float> in(values());
  for (const uc::path path : {uc::path::small_tiles, uc::path::medium_tiles, uc::path::plain_tiles,
                              uc::path::bulk_tiles}) {
    const auto who = uc::on(nullptr, space).by(path);
    unsigned epoch = 0xfffffffeu;
    space.use(nullptr, 1, 1, 1, [&](const uc::levels& words) {
      uc::check(cudaMemcpy(&words.state->epoch, &epoch, sizeof epoch, cudaMemcpyHostToDevice),
                "cudaMemcpy");
    });
    for (int repeat = 0; repeat < 4; ++repeat) {
      const device_array<float> out(n);
      upsweep::inclusive_scan(who, in.data(), in.end(), out.data());
      ASSERT_EQ(first_difference(out.get(), expected()), n) << "repeat " << repeat;
    }
    space.use(nullptr, 1, 1, 1, [&](const uc::levels& words) {
      uc::check(cudaMemcpy(&epoch, &words.state->epoch, sizeof epoch, cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    });
    EXPECT_EQ(epoch, 3u);
  }
}

TEST_F(WorkspaceCuda, StreamsThatShareItTakeTurns) {
  uc::workspace space;
  const device_array<float> in(values());
  std::vector<cudaStream_t> streams(4);
  for (cudaStream_t& s : streams)
    uc::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
  std::vector<device_array<float>*> outs;
  for (int i = 0; i < 16; ++i) outs.push_back(new device_array<float>(n));
  uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < outs.size(); i += 4)
        upsweep::inclusive_scan(uc::on(streams[i / 4], space), in.data(), in.end(),
                                outs[i]->data());
    });
  for (std::thread& t : threads) t.join();
  uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (device_array<float>* out : outs) {
    EXPECT_EQ(first_difference(out->get(), expected()), n);
    delete out;
  }
  for (const cudaStream_t s : streams) cudaStreamDestroy(s);
}

// Each stream its own workspace: scans run side by side, and each may hold only a part of the
// device.
TEST_F(WorkspaceCuda, ManyStreamsAtOnce) {
  constexpr int count = 8;
  const device_array<float> in(values());
  std::vector<cudaStream_t> streams(count);
  std::vector<uc::workspace> spaces(count);
  std::vector<device_array<float>*> outs;
  for (cudaStream_t& s : streams)
    uc::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreate");
  for (int i = 0; i < count; ++i) outs.push_back(new device_array<float>(n));
  uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (int repeat = 0; repeat < 10; ++repeat)
    for (std::size_t i = 0; i < count; ++i)
      upsweep::inclusive_scan(uc::on(streams[i], spaces[i])
                                  .by(repeat % 2 ? uc::path::plain_tiles : uc::path::bulk_tiles),
                              in.data(), in.end(), outs[i]->data());
  uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (device_array<float>* out : outs) {
    EXPECT_EQ(first_difference(out->get(), expected()), n);
    delete out;
  }
  for (const cudaStream_t s : streams) cudaStreamDestroy(s);
}

TEST_F(WorkspaceCuda, GraphsReplayWithNewData) {
  for (const uc::path path : paths) {
    uc::workspace space;
    device_array<float> in(values());
    device_array<float> out(n);
    cudaStream_t stream;
    uc::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    uc::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
              "cudaStreamBeginCapture");
    upsweep::inclusive_scan(uc::on(stream, space).by(path), in.data(), in.end(), out.data());
    upsweep::inclusive_scan(uc::on(stream, space).by(path), out.data(), out.end(), out.data());
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    uc::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    std::size_t nodes = 0;
    uc::check(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
    EXPECT_EQ(nodes, 2u) << "a scan is one launch and nothing else";
    if (path == uc::path::bulk_tiles)
      EXPECT_THROW(space.reserve(space.bytes() + 1), upsweep::argument_error);
    uc::check(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      const auto fresh = some_values<float>(n, seed);
      in.put(fresh);
      uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      uc::check(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
      uc::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
      std::vector<float> twice(n);
      upsweep::inclusive_scan(upsweep::par, fresh.begin(), fresh.end(), twice.begin());
      upsweep::inclusive_scan(upsweep::par, twice.begin(), twice.end(), twice.begin());
      ASSERT_EQ(first_difference(out.get(), twice), n) << "seed " << seed;
    }
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  }
}

// The other way round: where there is a GPU, this one is skipped.
TEST(NoGpuCuda, ErrorNamesCallAndRemedy) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) GTEST_SKIP() << "there is a GPU";
  try {
    const uc::workspace space;
    FAIL() << "a workspace without a device";
  } catch (const upsweep::cuda_error& e) {
    EXPECT_NE(e.code, cudaSuccess);
    EXPECT_NE(std::string(e.what()).find("cudaGetDevice"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("upsweep::par"), std::string::npos) << e.what();
  }
}

}  // namespace cuda_cases
