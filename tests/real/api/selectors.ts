import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from "@pilothouse/api"
import { messageOf, type SeededRandom } from "@pilothouse/seams"
import type { ApiClient } from "../api-client.ts"
import type { Group, Tally } from "../tally.ts"
import { messageIn } from "./comparable.ts"
import { Draw } from "./draw.ts"
import { eachConcurrently } from "./each.ts"
import { isRecord, type JsonObject } from "./objects/object.ts"
import { drawFieldSelector, drawLabelSelector, drawLabels, selectableFields } from "./selector-texts.ts"

const podCount = 50
const selectorCount = 500
const path = "/api/v1/namespaces/selected/pods"

interface SelectedPod {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly object: JsonObject
}

/** Lists with random selectors over 50 pods: the same names, or the same words of refusal. */
export async function judgeSelectors(tally: Tally, client: ApiClient, random: SeededRandom): Promise<void> {
  const pods = await createPods(client, new Draw(random.fork("pods")))
  await tally.group(`${selectorCount} label selectors`, (group) => {
    const draw = new Draw(random.fork("labels"))
    return judge(group, client, "labelSelector", {
      texts: Array.from({ length: selectorCount }, () => drawLabelSelector(draw)),
      ours: (text) => byLabels(text, pods),
    })
  })
  await tally.group(`${selectorCount} field selectors`, (group) => {
    const draw = new Draw(random.fork("fields"))
    return judge(group, client, "fieldSelector", {
      texts: Array.from({ length: selectorCount }, () => drawFieldSelector(draw)),
      ours: (text) => byFields(text, pods),
    })
  })
}

interface Selecting {
  readonly texts: readonly string[]
  readonly ours: (text: string) => string[]
}

async function judge(group: Group, client: ApiClient, parameter: string, { texts, ours }: Selecting): Promise<void> {
  let refused = 0
  let empty = 0
  await eachConcurrently(texts, async (text) => {
    const { status, value } = await client.send({ verb: "GET", path, query: { [parameter]: text } })
    const theirs = status === 200 ? namesIn(value) : `${status} ${messageIn(value)}`
    if (status !== 200) refused++
    else if (theirs === "") empty++
    const own = answerOf(() => ours(text))
    group.case(JSON.stringify(text), theirs === own ? undefined : `the server: ${theirs}\nours: ${own}`)
  })
  group.note(`${texts.length - refused - empty} found pods, ${empty} found none, ${refused} refused`)
}

function answerOf(select: () => string[]): string {
  try {
    return select().sort().join(" ")
  } catch (error) {
    return `400 ${messageOf(error)}`
  }
}

function namesIn(list: unknown): string {
  const items = isRecord(list) && Array.isArray(list.items) ? list.items : []
  return items
    .map((item: { metadata: { name: string } }) => item.metadata.name)
    .sort()
    .join(" ")
}

function byLabels(text: string, pods: readonly SelectedPod[]): string[] {
  const selector = parseLabelSelector(text)
  return pods.filter(({ labels }) => matchesLabels(selector, labels)).map(({ name }) => name)
}

function byFields(text: string, pods: readonly SelectedPod[]): string[] {
  const selector = parseFieldSelector(text)
  // Which fields a kind lets select is the server's business, not the selector's.
  for (const { field } of selector.requirements)
    if (!Object.hasOwn(selectableFields, field)) throw new Error(`field label not supported: ${field}`)
  return pods.filter(({ object }) => matchesFields(selector, (field) => selectableFields[field]?.(object) ?? "")).map(({ name }) => name)
}

async function createPods(client: ApiClient, draw: Draw): Promise<SelectedPod[]> {
  await client.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "selected" } } })
  const pods = Array.from({ length: podCount }, (_, index) => ({ name: `pod-${index}`, labels: drawLabels(draw), spec: drawSpec(draw) }))
  return Promise.all(
    pods.map(async ({ name, labels, spec }) => ({
      name,
      labels,
      object: await client.object({ verb: "POST", path, body: { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec } }),
    })),
  )
}

function drawSpec(draw: Draw): JsonObject {
  return {
    containers: [{ name: "c", image: "i" }],
    restartPolicy: draw.pick(["Always", "OnFailure", "Never"]),
    schedulerName: draw.pick(["default-scheduler", "mine"]),
    ...(draw.chance(0.4) ? { nodeName: draw.pick(["n1", "n2"]) } : {}),
    ...(draw.chance(0.2) ? { hostNetwork: true } : {}),
  }
}
