// Sums, differences and comparisons have no request of their own, but a custom resource's rules can use them: ours are put in an object that is only valid
// when the server comes to the same results.
import { type Amount, addAmounts, compareAmounts, formatQuantity, parseQuantity, subtractAmounts } from "@pilothouse/api"
import type { SeededRandom } from "@pilothouse/seams"
import type { ApiClient } from "../api-client.ts"
import type { Tally } from "../tally.ts"
import { messageIn } from "./comparable.ts"
import { Draw } from "./draw.ts"
import { eachConcurrently } from "./each.ts"
import { namespace } from "./live-objects.ts"

const count = 500
const rules = [
  "quantity(self.a).add(quantity(self.b)).compareTo(quantity(self.sum)) == 0",
  "quantity(self.a).sub(quantity(self.b)).compareTo(quantity(self.difference)) == 0",
  "quantity(self.a).compareTo(quantity(self.b)) == self.comparison",
]

export async function judgeQuantitySums(tally: Tally, client: ApiClient, random: SeededRandom): Promise<void> {
  await tally.group(`${count} sums, differences and comparisons of quantities`, async (group) => {
    await createKind(client)
    const draw = new Draw(random)
    const pairs = Array.from({ length: count }, () => [drawQuantity(draw), drawQuantity(draw)] as const)
    await eachConcurrently(pairs, async ([a, b]) => {
      const spec = results(a, b)
      const body = { apiVersion: "judged.test/v1", kind: "Sum", metadata: { name: "drawn" }, spec }
      const { status, value } = await client.send({ verb: "POST", path: sums, query: { dryRun: "All" }, body })
      group.case(JSON.stringify(spec), status === 201 ? undefined : messageIn(value))
    })
  })
}

const sums = `/apis/judged.test/v1/namespaces/${namespace}/sums`

function results(a: string, b: string): Record<string, unknown> {
  const [left, right]: [Amount, Amount] = [parseQuantity(a), parseQuantity(b)]
  return {
    a,
    b,
    sum: formatQuantity(addAmounts(left, right)),
    difference: formatQuantity(subtractAmounts(left, right)),
    comparison: compareAmounts(left, right),
  }
}

async function createKind(client: ApiClient): Promise<void> {
  const text = { type: "string", maxLength: 60 }
  const spec = {
    type: "object",
    properties: { a: text, b: text, sum: text, difference: text, comparison: { type: "integer" } },
    "x-kubernetes-validations": rules.map((rule) => ({ rule })),
  }
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "sums.judged.test" },
    spec: { group: "judged.test", scope: "Namespaced", names: { plural: "sums", kind: "Sum" }, versions: [version] },
  }
  await client.object({ verb: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body })
  // Served a moment after it is established.
  for (let attempt = 0; attempt < 600; attempt++) {
    if ((await client.send({ verb: "GET", path: sums })).status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error("the custom resource was not served within 30 s")
}

/** Well within what upstream calculates exactly: at most nano, at most 18 digits. */
function drawQuantity(draw: Draw): string {
  const digits = draw.times(1, 9, () => draw.int(0, 9)).join("")
  const fraction = draw.chance(0.3) ? `.${draw.int(1, 999)}` : ""
  return `${draw.chance(0.2) ? "-" : ""}${digits}${fraction}${draw.pick(["", "m", "k", "M", "G", "Ki", "Mi", "Gi", "Ti", "e3", "u", "n"])}`
}
