// Managed memory: first touch by GPU and by CPU, prefetch, advice, which touches of one thread
// wait; and sums of matrices by copies, zero copy and managed memory (cards/gpus/h100/link.csv,
// faults.csv). It asks for 1 GiB at most: asking for more than the GPU has free can stop it for
// others too. nvcc -O2 -arch=sm_90 -std=c++17; 50 s on an H100.
#include "link.cuh"

// One thread touches pages in the order given and says how long each touch took, in ns.
__global__ void touch_order(char* p, const unsigned* order, int n, int write, unsigned* ns) {
  for (int i = 0; i < n; ++i) {
    volatile unsigned* q = (volatile unsigned*)(p + (size_t)order[i] * 4096);
    const unsigned long long a = gtime();
    unsigned v = 0;
    if (write) {
      *q = i;
      __threadfence_system();
      v = *q;
    } else v = *q;
    const unsigned long long b = gtime() + (v == 0x7fffff12);
    ns[i] = (unsigned)(b - a);
  }
}
__global__ void touch_pages(char* p, size_t pages, size_t step, int write) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < pages;
       i += (size_t)gridDim.x * blockDim.x) {
    volatile unsigned* q = (volatile unsigned*)(p + i * step);
    if (write) *q = (unsigned)i;
    else {
      const unsigned v = *q;
      if (v == 0x7fffff12) *q = 1;
    }
  }
}
static cudaMemLocation on(int d) {
  cudaMemLocation l{};
  l.type = d < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  l.id = d < 0 ? 0 : d;
  return l;
}
// The books' sum of two matrices, 4096 x 4096 ints: by copies, zero copy, managed
__global__ void sum2d(const float* a, const float* b, float* c, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) c[y * nx + x] = a[y * nx + x] + b[y * nx + x];
}
static void sums() {
  const int nx = 4096, ny = 4096;
  const size_t n = (size_t)nx * ny * 4;
  dim3 b(32, 32), g(nx / 32, ny / 32);
  std::vector<double> v;
  timed("sum", "kernel on device memory", n, 1, 10,
        [&] { sum2d<<<g, b, 0, S[0]>>>((float*)d_a, (float*)(d_a + n), (float*)d_b, nx, ny); });
  timed("sum", "copies pageable", n, 1, 5, [&] {
    CK(cudaMemcpyAsync(d_a, h_page, n, cudaMemcpyHostToDevice, S[0]));
    CK(cudaMemcpyAsync(d_a + n, h_page + n, n, cudaMemcpyHostToDevice, S[0]));
    sum2d<<<g, b, 0, S[0]>>>((float*)d_a, (float*)(d_a + n), (float*)d_b, nx, ny);
    CK(cudaMemcpyAsync(h_page2, d_b, n, cudaMemcpyDeviceToHost, S[0]));
  });
  timed("sum", "copies pinned", n, 1, 5, [&] {
    CK(cudaMemcpyAsync(d_a, h_pin, n, cudaMemcpyHostToDevice, S[0]));
    CK(cudaMemcpyAsync(d_a + n, h_pin + n, n, cudaMemcpyHostToDevice, S[0]));
    sum2d<<<g, b, 0, S[0]>>>((float*)d_a, (float*)(d_a + n), (float*)d_b, nx, ny);
    CK(cudaMemcpyAsync(h_pin2, d_b, n, cudaMemcpyDeviceToHost, S[0]));
  });
  timed("sum", "zero copy", n, 1, 5, [&] {
    sum2d<<<g, b, 0, S[0]>>>((float*)h_pin, (float*)(h_pin + n), (float*)h_pin2, nx, ny);
  });
  for (int how = 0; how < 2; ++how) {
    std::vector<double> first, second, back;
    for (int r = 0; r < 6; ++r) {
      float *a, *bb, *c;
      CK(cudaMallocManaged(&a, n));
      CK(cudaMallocManaged(&bb, n));
      CK(cudaMallocManaged(&c, n));
      memset(a, 1, n);
      memset(bb, 1, n);
      if (how < 2) memset(c, 0, n);
      float ms;
      CK(cudaDeviceSynchronize());
      const double host = us_now();
      if (how == 1) {
        CK(cudaMemPrefetchAsync(a, n, on(0), 0, S[0]));
        CK(cudaMemPrefetchAsync(bb, n, on(0), 0, S[0]));
        CK(cudaMemPrefetchAsync(c, n, on(0), 0, S[0]));
      }
      sum2d<<<g, b, 0, S[0]>>>(a, bb, c, nx, ny);
      CK(cudaDeviceSynchronize());
      first.push_back(us_now() - host);
      CK(cudaEventRecord(E0, S[0]));
      sum2d<<<g, b, 0, S[0]>>>(a, bb, c, nx, ny);
      CK(cudaEventRecord(E1, S[0]));
      CK(cudaDeviceSynchronize());
      CK(cudaEventElapsedTime(&ms, E0, E1));
      second.push_back(ms * 1000);
      const double q = us_now();
      volatile char x = 0;
      for (size_t i = 0; i < n; i += 4096) x = x + ((char*)c)[i];
      back.push_back(us_now() - q);
      CK(cudaFree(a));
      CK(cudaFree(bb));
      CK(cudaFree(c));
    }
    row("sum", how ? "managed prefetched first" : "managed first", n, 1, "host_us", first);
    row("sum", how ? "managed prefetched second" : "managed second", n, 1, "event_us", second);
    row("sum", how ? "managed prefetched cpu reads back" : "managed cpu reads back", n, 1,
        "host_us", back);
  }
}

struct Managed {  // one fresh managed allocation, measured in steps
  char* p;
  size_t n;
  explicit Managed(size_t bytes) : n(bytes) { CK(cudaMallocManaged(&p, n)); }
  ~Managed() { CK(cudaFree(p)); }
  double gpu(const std::function<void()>& g) {
    CK(cudaDeviceSynchronize());
    CK(cudaEventRecord(E0, S[0]));
    g();
    CK(cudaEventRecord(E1, S[0]));
    CK(cudaDeviceSynchronize());
    float ms;
    CK(cudaEventElapsedTime(&ms, E0, E1));
    return ms * 1000;
  }
  double cpu_write() {
    const double a = us_now();
    for (size_t i = 0; i < n; i += 4096) p[i] = 1;
    return us_now() - a;
  }
  double cpu_read() {
    const double a = us_now();
    volatile char x = 0;
    for (size_t i = 0; i < n; i += 4096) x = x + p[i];
    return us_now() - a;
  }
  double stream_write() {
    return gpu([&] {
      zwrite16<<<SMS * 2, 1024, 0, S[0]>>>(p, n, 16,
                                           (int)((n / 16 + SMS * 2048 - 1) / (SMS * 2048)));
    });
  }
  double stream_read() {
    return gpu([&] {
      zread16<<<SMS * 2, 1024, 0, S[0]>>>(p, n, 16, (int)((n / 16 + SMS * 2048 - 1) / (SMS * 2048)),
                                          (unsigned*)d_b);
    });
  }
  double pages(size_t step, int write) {
    return gpu([&] { touch_pages<<<SMS, 128, 0, S[0]>>>(p, n / step, step, write); });
  }
};
static void managed(double until) {
  auto late = [&] { return seconds() > until; };
  const int R = 10;
  for (size_t n : {64 * MiB, 2 * MiB, 256 * MiB, 16 * MiB, 1024 * MiB, 4 * MiB, 64ul << 10,
                   512 * MiB, 1 * MiB}) {
    if (late()) {
      printf("managed,skipped,%zu,0,time,0,,\n", n);
      break;
    }
    const int reps = n > 256 * MiB ? 5 : R;
    std::vector<double> a, b, c, d, e, g, h, i, j, k, l, m, o;
    for (int r = 0; r < reps; ++r) {
      {
        Managed x(n);
        a.push_back(x.stream_write());
        b.push_back(x.stream_write());
        c.push_back(x.cpu_read());
        d.push_back(x.stream_read());
        e.push_back(x.stream_read());
      }
      {
        Managed x(n);
        g.push_back(x.cpu_write());
        h.push_back(x.stream_read());
        i.push_back(x.cpu_write());
        l.push_back(x.stream_write());
      }
      {
        Managed x(n);
        x.cpu_write();
        j.push_back(x.gpu([&] { CK(cudaMemPrefetchAsync(x.p, n, on(0), 0, S[0])); }));
        k.push_back(x.stream_read());
        m.push_back(x.gpu([&] { CK(cudaMemPrefetchAsync(x.p, n, on(-1), 0, S[0])); }));
      }
      {
        Managed x(n);
        o.push_back(x.gpu([&] { CK(cudaMemPrefetchAsync(x.p, n, on(0), 0, S[0])); }));
      }
    }
    row("managed", "gpu first touch write", n, 1, "event_us", a);
    row("managed", "gpu second write", n, 1, "event_us", b);
    row("managed", "cpu reads what the gpu wrote", n, 1, "host_us", c);
    row("managed", "gpu reads what the cpu read back", n, 1, "event_us", d);
    row("managed", "gpu second read", n, 1, "event_us", e);
    row("managed", "cpu first touch write", n, 1, "host_us", g);
    row("managed", "gpu reads what the cpu wrote", n, 1, "event_us", h);
    row("managed", "cpu writes what the gpu read", n, 1, "host_us", i);
    row("managed", "gpu writes what the cpu wrote", n, 1, "event_us", l);
    row("managed", "prefetch to gpu", n, 1, "event_us", j);
    row("managed", "gpu read after prefetch", n, 1, "event_us", k);
    row("managed", "prefetch to cpu", n, 1, "event_us", m);
    row("managed", "prefetch of new pages to gpu", n, 1, "event_us", o);
    fflush(stdout);
  }
  // One thread's touches, page by page: which touch waits. Written as runs: WAITns@index.
  {
    const int P = 1024;  // 4 MiB
    unsigned *order, *ns;
    CK(cudaMalloc(&order, P * 4));
    CK(cudaMalloc(&ns, P * 4));
    for (int write = 0; write < 2; ++write)
      for (int kind = 0; kind < 8; ++kind)
        for (int filled = 0; filled < 2; ++filled) {
          if (late()) break;
          std::vector<unsigned> o;
          unsigned seed = 12345;
          if (kind == 0)
            for (int i = 0; i < P; ++i) o.push_back(i);
          if (kind == 1)
            for (int i = P - 1; i >= 0; --i) o.push_back(i);
          if (kind == 2)
            for (int i = 0; i < P; i += 16) o.push_back(i);
          if (kind == 3)
            for (int i = 0; i < P; i += 32) o.push_back(i);
          if (kind == 4) {
            for (int i = 0; i < P; ++i) o.push_back(i);
            for (int i = P - 1; i > 0; --i) {
              seed = seed * 1664525 + 1013904223;
              std::swap(o[i], o[(seed >> 8) % (i + 1)]);
            }
          }
          if (kind == 5)
            for (int i = 0; i < P; i += 128) o.push_back(i);
          if (kind == 6) {
            o = {0, 1, 16, 48, 112, 240, 496, 500, 17, 33, 511, 512, 513, 1023};
          }
          if (kind == 7) {
            for (int i = 0; i < 512; i += 16) o.push_back(511 - i);
            for (int i = 512; i < 1024; i += 16) o.push_back(i);
          }
          const char* kinds[] = {"up",
                                 "down",
                                 "every 64K",
                                 "every 128K",
                                 "random",
                                 "every 512K",
                                 "list 0 1 16 48 112 240 496 500 17 33 511 512 513 1023",
                                 "down then up by 64K"};
          Managed x(P * 4096ul);
          if (filled) x.cpu_write();
          CK(cudaMemcpy(order, o.data(), o.size() * 4, cudaMemcpyHostToDevice));
          touch_order<<<1, 1>>>(x.p, order, (int)o.size(), write, ns);
          CK(cudaDeviceSynchronize());
          std::vector<unsigned> t(o.size());
          CK(cudaMemcpy(t.data(), ns, t.size() * 4, cudaMemcpyDeviceToHost));
          std::string s;
          int waits = 0;
          for (size_t i = 0; i < t.size(); ++i)
            if (t[i] > 6000) {
              ++waits;
              if (waits <= 200) s += f("%u@%u ", t[i], o[i]);
            }
          printf("managed,one thread %s %s %s,%zu,%zu,waits,%d,%s,\n", write ? "writes" : "reads",
                 filled ? "cpu filled" : "new", kinds[kind], P * 4096ul, o.size(), waits,
                 s.c_str());
        }
    CK(cudaFree(order));
    CK(cudaFree(ns));
    fflush(stdout);
  }
  // A word a page, by many threads: how density decides
  for (size_t step : {4096ul, 65536ul, 2 * MiB})
    for (int write = 0; write < 2; ++write)
      for (int filled = 0; filled < 2; ++filled) {
        if (late()) break;
        std::vector<double> v, w;
        const size_t n = 256 * MiB;
        for (int r = 0; r < R; ++r) {
          Managed x(n);
          if (filled) x.cpu_write();
          v.push_back(x.pages(step, write));
          w.push_back(x.stream_read());
        }
        row("managed",
            f("gpu %s a word every %zu %s", write ? "writes" : "reads", step,
              filled ? "cpu filled" : "new"),
            n, 1, "event_us", v);
        row("managed",
            f("stream read after %s a word every %zu %s", write ? "writes" : "reads", step,
              filled ? "cpu filled" : "new"),
            n, 1, "event_us", w);
      }
  // Advice
  if (!late())
    for (size_t n : {64 * MiB}) {
      std::vector<double> a, b, c, d, e, g, h, i, j, k;
      for (int r = 0; r < R; ++r) {
        {
          Managed x(n);
          x.cpu_write();
          CK(cudaMemAdvise(x.p, n, cudaMemAdviseSetReadMostly, on(0)));
          a.push_back(x.stream_read());
          b.push_back(x.cpu_read());
          c.push_back(x.stream_read());
          d.push_back(x.cpu_write());
          e.push_back(x.stream_read());
        }
        {
          Managed x(n);
          x.cpu_write();
          CK(cudaMemAdvise(x.p, n, cudaMemAdviseSetPreferredLocation, on(-1)));
          g.push_back(x.stream_read());
          h.push_back(x.stream_read());
        }
        {
          Managed x(n);
          CK(cudaMemAdvise(x.p, n, cudaMemAdviseSetPreferredLocation, on(-1)));
          CK(cudaMemAdvise(x.p, n, cudaMemAdviseSetAccessedBy, on(0)));
          x.cpu_write();
          i.push_back(x.stream_read());
        }
        {
          Managed x(n);
          CK(cudaMemAdvise(x.p, n, cudaMemAdviseSetPreferredLocation, on(0)));
          j.push_back(x.cpu_write());
          k.push_back(x.stream_read());
        }
      }
      row("managed", "read mostly: gpu read", n, 1, "event_us", a);
      row("managed", "read mostly: cpu read after", n, 1, "host_us", b);
      row("managed", "read mostly: gpu read again", n, 1, "event_us", c);
      row("managed", "read mostly: cpu write", n, 1, "host_us", d);
      row("managed", "read mostly: gpu read after cpu write", n, 1, "event_us", e);
      row("managed", "preferred cpu: gpu read", n, 1, "event_us", g);
      row("managed", "preferred cpu: gpu read again", n, 1, "event_us", h);
      row("managed", "preferred cpu accessed by gpu: gpu read", n, 1, "event_us", i);
      row("managed", "preferred gpu: cpu write", n, 1, "host_us", j);
      row("managed", "preferred gpu: gpu read", n, 1, "event_us", k);
    }
  // Many threads that fault at once: blocks, each its own 2 MiB
  for (int blocks : {1, 2, 4, 8, 16, 32, 64, 132}) {
    if (late()) break;
    std::vector<double> v;
    for (int r = 0; r < R; ++r) {
      Managed x(264 * MiB);
      x.cpu_write();
      v.push_back(x.gpu([&] { touch_pages<<<blocks, 1, 0, S[0]>>>(x.p, blocks, 2 * MiB, 0); }));
    }
    row("managed", "blocks of one thread each fault in their own 2 MiB", 264 * MiB, blocks,
        "event_us", v);
  }
}

int main() {
  setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
  printf("section,case,bytes,n,metric,median,min,max\n");
  device();
  setup();
  buffers();
  sums();
  managed(1e9);
  return 0;
}
