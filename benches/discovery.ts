// npm run bench -- discovery: how quickly does a change reach every client, and what does it cost? Raw ADS clients, each on a connection of its own.
import type { Bench, Row } from "./bench.ts"
import { Side } from "./discovery/side.ts"

/** istiod's figures as they were seen on two shared cores: the goals are shares of them. */
const istiod = {
  oneStream: { 100: 1.4, 1000: 5.5 },
  hundredStreams: { 100: 12, 1000: 38 },
  cpu: { 100: 11.5, 1000: 33 },
  rss: { empty: 110, services: 180, streams: 1600 },
} as const
const shares = { oneStream: { 100: 1, 1000: 0.6 }, hundredStreams: { 100: 0.8, 1000: 0.5 }, cpu: { 100: 0.7, 1000: 0.4 } } as const
/** Changes that are measured for "1,000 changes": each costs the same. */
const cpuSample = 250
const watched = ["outbound|80||svc-0.bench.svc.cluster.local"]

export const questions: readonly Bench[] = [
  { name: "how long until one client has a change", run: () => both(oneStream) },
  { name: "how long until the slowest of 100 has it, and the CPU for 1,000 changes", run: () => both(hundredStreams) },
  { name: "whether a neighbour that changes every 40 ms delays it", run: neighbour },
  { name: "memory, and 1,000 new streams", run: memory },
  { name: "2,000 streams", run: () => both(manyStreams) },
  { name: "whether the number of services matters", run: services },
  { name: "state of the world against delta", run: protocols },
]

type Endpoints = 100 | 1000

async function both(run: (endpoints: Endpoints) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  return [...(await run(100)), ...(await run(1000))]
}

async function oneStream(endpoints: Endpoints): Promise<readonly Row[]> {
  await using side = await Side.start()
  await side.ask({ do: "fill", services: 1, endpoints })
  await side.connect(1, watched)
  const times = await changes(side, 200)
  const theirs = istiod.oneStream[endpoints]
  const what = `change → EDS received, 1 stream, ${endpoints} endpoints, p50 (goal: share of istiod's ${theirs} ms, debounce off)`
  return [goal({ what, ours: middle(times.map(({ last }) => last)), unit: "ms" }, theirs * shares.oneStream[endpoints])]
}

async function hundredStreams(endpoints: Endpoints): Promise<readonly Row[]> {
  await using side = await Side.start()
  await side.ask({ do: "fill", services: 1, endpoints })
  await side.connect(100, watched)
  await changes(side, 20)
  const before = await side.ask({ do: "facts" })
  const times = await changes(side, cpuSample)
  const after = await side.ask({ do: "facts" })
  const latency = istiod.hundredStreams[endpoints]
  const cpu = istiod.cpu[endpoints]
  const shape = `100 streams, ${endpoints} endpoints`
  return [
    goal(
      { what: `slowest of ${shape}, p50 (istiod ${latency} ms)`, ours: middle(times.map(({ last }) => last)), unit: "ms" },
      latency * shares.hundredStreams[endpoints],
    ),
    goal(
      {
        what: `CPU for 1,000 changes, ${shape} (istiod ${cpu} s)`,
        ours: ((after.cpu - before.cpu) / 1e6) * (1_000 / cpuSample),
        unit: "s",
      },
      cpu * shares.cpu[endpoints],
    ),
  ]
}

async function neighbour(): Promise<readonly Row[]> {
  await using side = await Side.start()
  await side.ask({ do: "fill", services: 2, endpoints: 100 })
  await side.connect(1, watched)
  const alone = middle((await changes(side, 100)).map(({ last }) => last))
  await side.ask({ do: "neighbour", every: 40 })
  const beside = middle((await changes(side, 100)).map(({ last }) => last))
  return [
    goal({ what: "change → EDS beside a service that changes every 40 ms, p50 (istiod 10 s)", ours: beside, unit: "ms" }, alone * 2 + 1),
  ]
}

async function memory(): Promise<readonly Row[]> {
  const rows: Row[] = []
  const megabytes = async (side: Side) => (await side.ask({ do: "facts" })).rss / 1e6
  {
    await using side = await Side.start()
    rows.push(goal({ what: "memory, empty (istiod 110 MB)", ours: await megabytes(side), unit: "MB" }, istiod.rss.empty * 0.9))
    await side.ask({ do: "fill", services: 100, endpoints: 100 })
    await side.connect(
      1,
      Array.from({ length: 100 }, (_, index) => `outbound|80||svc-${index}.bench.svc.cluster.local`),
    )
    rows.push(
      goal({ what: "memory, 100 services × 100 pods (istiod 180 MB)", ours: await megabytes(side), unit: "MB" }, istiod.rss.services * 0.6),
    )
  }
  await using side = await Side.start()
  await side.ask({ do: "fill", services: 1, endpoints: 1_000 })
  const start = performance.now()
  await side.connect(1_000, watched)
  rows.push(
    goal({ what: "1,000 new streams accepted and answered (istiod 40 s)", ours: (performance.now() - start) / 1000, unit: "s" }, 40 * 0.05),
  )
  await changes(side, 10)
  rows.push(
    goal(
      { what: "memory, 1,000 streams × 1,000 endpoints (istiod 1.6 GB)", ours: await megabytes(side), unit: "MB" },
      istiod.rss.streams * 0.15,
    ),
  )
  return rows
}

async function manyStreams(endpoints: Endpoints): Promise<readonly Row[]> {
  await using side = await Side.start()
  await side.ask({ do: "fill", services: 1, endpoints })
  await side.connect(2_000, watched)
  const times = await changes(side, 7)
  const last = middle(times.map((time) => time.last)) / 1000
  return [goal({ what: `slowest of 2,000 streams, ${endpoints} endpoints, p50`, ours: last, unit: "s" }, endpoints === 100 ? 0.5 : 0.9)]
}

async function services(): Promise<readonly Row[]> {
  const cost = async (count: number) => {
    await using side = await Side.start()
    await side.ask({ do: "fill", services: count, endpoints: 10 })
    await side.connect(
      1,
      Array.from({ length: count }, (_, index) => `outbound|80||svc-${index}.bench.svc.cluster.local`),
    )
    await changes(side, 300)
    const before = await side.ask({ do: "facts" })
    await changes(side, 500)
    return ((await side.ask({ do: "facts" })).cpu - before.cpu) / 500
  }
  const few = await cost(100)
  const many = await cost(5_000)
  const row = { what: "CPU of one change at 5,000 services (theirs: at 100)", ours: many, theirs: few, unit: "µs", ratio: many / few }
  return [{ ...row, goal: "≤ 1.2", met: many / few <= 1.2 }]
}

async function protocols(): Promise<readonly Row[]> {
  const cost = async (delta: boolean) => {
    await using side = await Side.start()
    await side.ask({ do: "fill", services: 1, endpoints: 1_000 })
    await side.connect(10, watched, delta)
    await changes(side, 50)
    const before = await side.ask({ do: "facts" })
    const bytes = side.clients[0]!.bytes
    await changes(side, 100)
    return { cpu: ((await side.ask({ do: "facts" })).cpu - before.cpu) / 1e5, bytes: (side.clients[0]!.bytes - bytes) / 100 / 1e3 }
  }
  const sotw = await cost(false)
  const delta = await cost(true)
  return [
    {
      what: "CPU of a change, 10 streams × 1,000 endpoints, delta (theirs: our SotW)",
      ours: delta.cpu,
      theirs: sotw.cpu,
      unit: "ms",
      ratio: delta.cpu / sotw.cpu,
    },
    {
      what: "wire bytes of a change, 1,000 endpoints, delta (theirs: our SotW)",
      ours: delta.bytes,
      theirs: sotw.bytes,
      unit: "kB",
      ratio: delta.bytes / sotw.bytes,
    },
  ]
}

/** One after the other: the next when every client has the last. */
async function changes(side: Side, count: number): Promise<{ readonly first: number; readonly last: number }[]> {
  const times = []
  for (let turn = 0; turn < count; turn++) times.push(await side.change())
  return times
}

function goal(row: Row, limit: number): Row {
  return { ...row, goal: `≤ ${Number(limit.toPrecision(3))} ${row.unit}`, met: row.ours <= limit }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!
}
