/** What is grown: `run` makes a thing of so many characters, items or levels, and does with it what a request would. */
export interface Growth {
  /** "Pod spec.containers[].image, zeros" */
  readonly name: string
  /** Ascending; the first is the least that there can be, which says what the rest of the work takes. */
  readonly sizes: readonly number[]
  run(size: number): Promise<void>
}

/** Milliseconds of CPU time that are worth a closer examination. */
const worthwhile = 20
/** Linear is 4 for four times the size, a sort a little more, quadratic 16. */
const max = 8
const repeats = 3
/** Milliseconds over which nothing but the work itself takes them. */
const certain = 200
/** Milliseconds after which nothing is repeated: noise is not so long. */
const longEnough = 1000

/**
 * Whether the time of something grows faster than its size: undefined, or what was measured. Screens with one run for each size, and stops where it takes
 * long; confirms by the least of several runs at a quarter of that size and at the size itself. The counter counts each run.
 */
export async function superLinear(growth: Growth, counter: { requests: number }): Promise<string | undefined> {
  const { sizes, name } = growth
  const time = async (size: number) => {
    counter.requests++
    return await cpuTime(() => growth.run(size))
  }
  const [min = 1, ...larger] = sizes
  const base = await time(min)
  for (const size of larger) {
    if ((await time(size)) - base < worthwhile) continue
    const ratio = await confirmed(growth, size, counter)
    if (ratio !== undefined) return `${name}: ${ratio}`
    // Linear, and slow already: a larger size says nothing else.
    return undefined
  }
  return undefined
}

async function confirmed({ run, sizes }: Growth, size: number, counter: { requests: number }): Promise<string | undefined> {
  const minimum = async (of: number) => {
    let found = Number.POSITIVE_INFINITY
    for (let count = 0; count < repeats && (count === 0 || found < longEnough); count++) {
      counter.requests++
      found = Math.min(found, await cpuTime(() => run(of)))
    }
    return found
  }
  const quarter = Math.ceil(size / 4)
  const base = await minimum(sizes[0] ?? 1)
  const [small, large] = [(await minimum(quarter)) - base, (await minimum(size)) - base]
  if (!isSuperLinear(small, large)) return undefined
  // A collection of garbage in the larger one looks the same where both are short: it does not at four times the size.
  if (large < certain && !isSuperLinear(large, (await minimum(4 * size)) - base)) return undefined
  return `size ${quarter} takes ${small.toFixed(1)} ms of CPU time, size ${size} takes ${large.toFixed(1)} ms`
}

/** For four times the size; a millisecond is what minima still differ by. */
function isSuperLinear(small: number, large: number): boolean {
  return large >= worthwhile && large / Math.max(small, 1) > max
}

async function cpuTime(run: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
