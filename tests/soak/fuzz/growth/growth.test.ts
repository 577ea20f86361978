import { seededRandom, silentLog } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { startOurApiServer } from "../../../real/our-api-server.ts"
import { alphabets } from "./alphabets.ts"
import { textGrowth } from "./cluster-growth.ts"
import { exchange, head } from "./edge-growth.ts"
import { growableFields } from "./fields.ts"
import { type Growth, superLinear } from "./growth.ts"
import { freshServer, growKinds, growthOf } from "./kind-growth.ts"
import { readTexts } from "./read-texts.ts"

/** What of these takes more than linear time. */
async function faultsOf(growths: Iterable<Growth>): Promise<readonly string[]> {
  const faults: string[] = []
  for (const growth of growths) {
    const fault = await superLinear(growth, { requests: 0 })
    if (fault !== undefined) faults.push(fault)
  }
  return faults
}

/** A step of work is some 50 ns: what is quadratic takes about a second, what is linear a millisecond. */
function busy(name: string, steps: (size: number) => number): Growth {
  return {
    name,
    sizes: [1, 200, 4000],
    async run(size) {
      let text = ""
      for (let step = steps(size); step > 0; step--) text = text.length > 100 ? "" : `${text}${step % 10}`
    },
  }
}

test("quadratic work is distinguished from linear work", async () => {
  const faults = await faultsOf([
    busy("linear", (size) => size),
    busy("long but linear", (size) => 500 * size),
    busy("quadratic", (size) => size * size),
  ])
  expect(faults.map((fault) => fault.split(":")[0])).toEqual(["quadratic"])
})

test("quantities, schedules and images were read in cubic and quadratic time", async () => {
  const server = freshServer()
  const fields = growableFields()
  const names = [
    "ResourceRequirements.limits[]",
    "ResourceQuotaSpec.hard[]",
    "CronJobSpec.schedule",
    "Container.image",
    "Container.command[]",
  ]
  const texts = ["zeros", "digits", "digits and a point", "a number", "spaces", "steps", "slashes"]
  const growths = names.flatMap((name) => {
    const field = fields.find((one) => one.name === name)
    expect(field, name).toBeDefined()
    return texts.map((alphabet) => growthOf(field!, field!.places[0]!, alphabet, "create", () => server))
  })
  expect(await faultsOf(growths)).toEqual([])
})

test("commands and annotations of simulated pods were read in quadratic time", async () => {
  await using made = await cluster({ log: silentLog })
  const names = ["Pod command sleep", "Pod command sh with sleep", "Pod annotation run-time", "Pod annotation cpu"]
  const growths = readTexts
    .filter(({ name }) => names.includes(name))
    .flatMap((text) => ["zeros", "durations", "spaces", "a duration's digits"].map((alphabet) => textGrowth(made, text, alphabet)))
  expect(growths).toHaveLength(16)
  expect(await faultsOf(growths)).toEqual([])
})

test("paths and timeouts of anonymous clients were read in quadratic time", async () => {
  await using server = await startOurApiServer()
  const growth = (name: string, path: (size: number) => string): Growth => ({
    name,
    sizes: [1, 2000, 16_000, 64_000],
    run: (size) => exchange(server, head(path(size))),
  })
  const faults = await faultsOf([
    growth("slashes", (size) => `/healthz${alphabets.slashes!(size)}`),
    growth("slashes of a log", (size) => `/healthz/log${alphabets.slashes!(size)}`),
    growth("timeout", (size) => `/healthz?timeout=${alphabets.digits!(size)}`),
    growth("timeout of durations", (size) => `/healthz?timeout=${alphabets.durations!(size)}`),
  ])
  expect(faults).toEqual([])
})

// The whole of it: npm run soak -- fuzz --requests 100000
test("1,000 requests that grow fields of every kind take linear time", async () => {
  const faults: string[] = []
  await growKinds(seededRandom(6), 1000, (fault) => faults.push(fault))
  expect(faults).toEqual([])
})
