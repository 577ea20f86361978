import type { SeededRandom } from "@pilothouse/seams"
import { Draw } from "../../api/draw.ts"
import { eachConcurrently } from "../../api/each.ts"
import { samples } from "../../api/objects/all.ts"
import type { SampleObject } from "../../api/objects/object.ts"
import type { Group, Tally } from "../../tally.ts"
import { drawHistory, namespaceOf } from "./draw-history.ts"
import { type History, historyText, type Outcome, run, type Servers, shortest } from "./history.ts"

/** What the real server's own controllers write at any time cannot be compared. */
const written: ReadonlySet<string> = new Set(["CustomResourceDefinition"])
const judged = samples.filter(({ kind }) => !written.has(kind))

/** Histories of random writes, the same on both servers: every answer must be the same. */
export async function judgeHistories(tally: Tally, servers: Servers, random: SeededRandom, count: number): Promise<void> {
  for (const kind of new Set(judged.map(namespaceOf))) await createNamespace(servers, kind)
  await tally.group(`${count} histories of writes`, async (group) => {
    const started = performance.now()
    const histories = Array.from({ length: count }, (_, index) => drawn(random, index))
    let [invalid, taken] = [0, 0]
    await eachConcurrently([...histories.entries()], async ([index, history]) => {
      const outcome = await judge(group, servers, history, `h${index}`)
      invalid += outcome.invalid
      taken += outcome.taken
    })
    const writes = histories.reduce((sum, { operations }) => sum + operations.length, 0)
    const seconds = (performance.now() - started) / 1000
    const rate = `${(count / seconds).toFixed(1)} histories and ${Math.round(writes / seconds)} writes a second`
    group.note(`${writes} writes of ${judged.length} objects of ${new Set(judged.map(({ kind }) => kind)).size} kinds; ${rate}`)
    group.note(`${invalid} writes were invalid to the real server; ours would have taken ${taken} of them`)
  })
}

/** Every sample in turn, each history from a stream of its own: the same one whatever comes before it. */
function drawn(random: SeededRandom, index: number): History {
  return drawHistory(new Draw(random.fork(`history-${index}`)), uniqueSample(judged[index % judged.length]!, index))
}

async function judge(group: Group, servers: Servers, history: History, name: string): Promise<Outcome> {
  const outcome = await run(servers, history, name).catch((error: unknown): Outcome => {
    return { difference: { at: 0, text: `no answer came: ${error}` }, invalid: 0, taken: 0 }
  })
  const title = `history ${name} of ${history.title}`
  if (outcome.difference === undefined) group.case(title, undefined)
  else {
    const [shorter, text] = await shortest(servers, history, outcome.difference, name)
    group.case(title, `${historyText(shorter)}\n${text}`)
  }
  return outcome
}

/** Kinds whose content must be unique as well. */
function uniqueSample(sample: SampleObject, index: number): SampleObject {
  if (sample.kind !== "ServiceCIDR") return sample
  return { ...sample, spec: { cidrs: [`fd00:${(index + 1).toString(16)}::/112`] } }
}

async function createNamespace({ real, ours }: Servers, name: string): Promise<void> {
  const request = { verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } } as const
  await Promise.all([real.object(request), ours.object(request)])
}
