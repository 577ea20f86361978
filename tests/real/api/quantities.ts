// The real server reads a quantity wherever one stands, and answers with its canonical form, also when it then refuses the object for another reason.
import { canonicalQuantity } from "@pilothouse/api"
import { messageOf, type SeededRandom } from "@pilothouse/seams"
import type { ApiAnswer, ApiClient } from "../api-client.ts"
import type { Tally } from "../tally.ts"
import { messageIn } from "./comparable.ts"
import { Draw } from "./draw.ts"
import { eachConcurrently } from "./each.ts"
import { namespace } from "./live-objects.ts"
import { isRecord } from "./objects/object.ts"

const count = 1500

export async function judgeQuantities(tally: Tally, client: ApiClient, random: SeededRandom): Promise<void> {
  await tally.group(`${count} random quantities`, async (group) => {
    const draw = new Draw(random)
    const drawn = Array.from({ length: count }, () => drawQuantity(draw))
    let refused = 0
    let known = 0
    await eachConcurrently(drawn, async (quantity) => {
      const [theirs, ours] = [theirReading(await send(client, quantity)), ourReading(quantity)]
      if (theirs.startsWith("refused")) refused++
      if (theirs !== ours && isTooGreat(ours)) known++
      else group.case(JSON.stringify(quantity), theirs === ours ? undefined : `the server: ${theirs}\nours: ${ours}`)
    })
    group.note(
      `${count - refused} accepted, ${refused} refused; ${known} above 1000E, where the server drops the suffix and we write the zeros`,
    )
  })
}

const resource = "CSIStorageCapacity"

function send(client: ApiClient, capacity: unknown): Promise<ApiAnswer> {
  const body = { apiVersion: "storage.k8s.io/v1", kind: resource, metadata: { name: "drawn" }, storageClassName: "slow", capacity }
  return client.send({
    verb: "POST",
    path: `/apis/storage.k8s.io/v1/namespaces/${namespace}/csistoragecapacities`,
    query: { dryRun: "All" },
    body,
  })
}

function theirReading({ status, value }: ApiAnswer): string {
  if (status === 201 && isRecord(value)) return String(value.capacity)
  const message = messageIn(value)
  // A negative size is read well, and shown, before it is refused.
  const shown = /Invalid value: "([^"]*)": must be greater than or equal to 0/.exec(message)?.[1]
  return shown ?? `refused: ${message.replace(`${resource} in version "v1" cannot be handled as a ${resource}: `, "")}`
}

function ourReading(quantity: string | number): string {
  try {
    return canonicalQuantity(quantity)
  } catch (error) {
    return `refused: ${messageOf(error)}`
  }
}

/** There is no suffix above E: 1000E comes back from the server as 1, a loss that we do not repeat. */
function isTooGreat(canonical: string): boolean {
  return canonical.endsWith("000E")
}

const suffixes = [
  "",
  "",
  "n",
  "u",
  "m",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-3",
  "e+6",
  "e0",
  "e-9",
  "e30",
  "E12",
]
const wrongSuffixes = ["K", "mm", "ki", "Mib", "e", "E+", "i", "x", " ", "e1.5", "e99999999999999999999", "%", "B", "e-"]

/** Numbers of every length around the limits of 64 bits and of nano precision, with every suffix; one in six malformed. */
function drawQuantity(draw: Draw): string | number {
  if (draw.chance(0.08)) return draw.pick([draw.int(-5, 5), draw.int(0, 2_000_000_000), draw.int(1, 99999) / 1000, 0.1, 1e21, 1e-7])
  const digits = (max: number) => draw.times(0, max, () => draw.pick("00123456789".split(""))).join("")
  const sign = draw.pick(["", "", "", "", "+", "-"])
  const whole = draw.chance(0.3)
    ? draw.pick(["1000", "1024", "1536", "1000000", "9223372036854775807", "0", "00", "1"])
    : digits(draw.pick([1, 3, 6, 19, 25]))
  const fraction = draw.chance(0.4) ? `.${digits(draw.pick([1, 3, 9, 12]))}` : ""
  const suffix = draw.chance(0.1) ? draw.pick(wrongSuffixes) : draw.pick(suffixes)
  const text = `${sign}${whole}${fraction}${suffix}`
  const drawn = draw.chance(0.05) ? mangled(draw, text) : text
  // An exponent of many digits keeps the real server busy past its time limit.
  return /e[-+]?[1-9]\d{3,17}(?!\d)/i.test(drawn) ? "1e3" : drawn
}

function mangled(draw: Draw, text: string): string {
  const at = draw.int(0, text.length)
  return `${text.slice(0, at)}${draw.pick([".", "-", "+", " ", ",", "x", "e", "1.1", "\n", "٣"])}${text.slice(at)}`
}
