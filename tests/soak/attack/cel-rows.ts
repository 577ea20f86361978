import { type Attempt, type Row, refusals } from "./row.ts"
import { isTrueWithin, pause } from "./waiting.ts"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const resource = "/apis/resource.k8s.io/v1"
const pods = "/api/v1/namespaces/default/pods"
const times = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join("")

/** What grows with each macro: a text, a list, or what is nested. */
const rules: readonly (readonly [name: string, rule: string])[] = [
  ["a text that is doubled 60 times", `[self.text]${times(60, (at) => `.map(v${at}, v${at} + v${at})`)}[0].size() > 0`],
  ["a letter that is doubled 20 times", `['a']${times(20, (at) => `.map(v${at}, v${at} + v${at})`)}[0].matches('(a|b)*c') == false`],
  ["a letter that is doubled in words", `['a']${times(26, (at) => `.map(v${at}, v${at} + v${at})`)}[0] == self.text`],
  ["a list that is doubled 60 times", `[[1, 2, 3]]${times(60, (at) => `.map(v${at}, v${at} + v${at})`)}[0].size() > 0`],
  ["nested lists", `[[dyn(1)]]${times(60, (at) => `.map(v${at}, [dyn(v${at}), dyn(v${at})])`)}.size() > 0`],
  ["nested iterations", `${times(6, (at) => `self.list.all(i${at}, `)}true${")".repeat(6)}`],
  ["a replacement that grows", `${"self.text".concat(times(30, () => ".replace('a', 'aa')"))}.size() > 0`],
  ["a split that is joined", `self.text${times(8, () => ".split('').join('aaaaaaaaaa')")}.size() > 0`],
  [
    "a format that grows",
    `${times(12, () => "'%s%s%s%s'.format([").concat(
      "self.text",
      times(12, () => "])"),
    )}.size() > 0`,
  ],
  ["an expression of 200 KB", `${times(20_000, () => "self.n == 1 || ")}true`],
  ["brackets", `${"(".repeat(5000)}true${")".repeat(5000)}`],
  ["negations", `${"!".repeat(20_001)}false`],
  ["conditions", `${times(3000, () => "self.n == 1 ? true : ")}false`],
  ["a pattern that goes back", `self.text.matches('${"(a*)*".repeat(500)}b')`],
  ["a pattern of repetitions", "self.text.matches('((((a{1,100}){1,100}){1,100}){1,100})')"],
  ["a quantity and a date", `quantity('${"1".repeat(100_000)}').isGreaterThan(quantity('1'))`],
  ["indexes of a long text", "self.text.split('').all(c, self.text.indexOf(c) >= 0)"],
  ["sorted pairs", "self.list.all(a, self.list.exists(b, a == b))"],
  ["a letter of a long text", "lists.range(90000).all(i, self.text.charAt(199999) == 'a')"],
  ["matches of nothing", "lists.range(90000).all(i, self.text.findAll('').size() > 0)"],
  ["lists that are sorted", "lists.range(90000).all(i, dyn(self.list).sort().size() > 0 && dyn(self.list).indexOf(-1) < 0)"],
  ["URLs of a long text", "lists.range(90000).all(i, isURL('http://h/' + self.text))"],
  ["durations of a long text", "lists.range(90000).all(i, duration(self.text) > duration('1s') || true)"],
  ["time zones that there are not", "lists.range(90000).all(i, timestamp(i).getHours('Nowhere/' + string(i)) >= 0 || true)"],
]

/** Rules of custom resources that are small and would be large at work. */
async function costlyRules({ admin, expect, expectStatus, expectTurns }: Attempt): Promise<void> {
  for (const [at, [name, rule]] of rules.entries()) {
    const group = `cel${at}.example.com`
    const properties = {
      text: { type: "string" },
      n: { type: "integer" },
      list: { type: "array", items: { type: "integer" }, maxItems: 400 },
    }
    const spec = { type: "object", properties, "x-kubernetes-validations": [{ rule, messageExpression: "self.text + self.text" }] }
    const definition = {
      metadata: { name: `boxes.${group}` },
      spec: {
        group,
        names: { plural: "boxes", kind: "Box" },
        scope: "Namespaced",
        versions: [{ name: "v1", storage: true, served: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
      },
    }
    const created = await admin.create(definitions, definition)
    expectStatus(`a rule with ${name}`, created, 201, ...refusals)
    await expectTurns(`the definition with ${name}`)
    if (created.status !== 201) continue
    const path = `/apis/${group}/v1/namespaces/default/boxes`
    expect(
      await isTrueWithin(async () => (await admin.send({ path })).status === 200, 10_000),
      `boxes with ${name}`,
      "that they are not served",
    )
    const box = {
      apiVersion: `${group}/v1`,
      kind: "Box",
      metadata: { name: "b" },
      spec: { text: "a".repeat(200_000), n: 2, list: Array.from({ length: 400 }, (_, item) => item) },
    }
    expectStatus(`an object of ${name}`, await admin.create(path, box), 201, ...refusals)
    await expectTurns(`an object of ${name}`)
    await admin.send({ method: "DELETE", path: `${definitions}/boxes.${group}` })
  }
}

const driver = "gpu.example.com"

function slice(at: number, devices: readonly object[]): object {
  const pool = { name: `pool-${at}`, generation: 1, resourceSliceCount: 1 }
  return { metadata: { name: `slice-${at}` }, spec: { driver, allNodes: true, pool, devices } }
}

const selectors = (expression: string) => [{ cel: { expression } }]

/** Claims that look for devices which there are not, in every way that a search can go back and forth. */
const claims: readonly (readonly [name: string, devices: object])[] = [
  ["every pair of devices", searched(32, { constraints: [{ matchAttribute: `${driver}/kind` }] })],
  ["alternatives of alternatives", alternatives()],
  ["selectors at their limit", searched(32, {}, selectors("lists.range(9000).map(x, x + 1).size() == 0"))],
  [
    "32 long selectors",
    searched(
      1,
      {},
      Array.from({ length: 32 }, () => selectors(`${"(".repeat(50)}true${")".repeat(50)} && ${"true && ".repeat(900)}true`)[0]!),
    ),
  ],
  ["texts that are doubled", searched(8, {}, selectors(`cel.bind(a, "aaaaaaaaaa", ${doubled(40)})`))],
  ["all devices", { requests: [{ name: "all", exactly: { deviceClassName: driver, allocationMode: "All" } }] }],
  ["a distinct attribute", searched(32, { constraints: [{ distinctAttribute: `${driver}/kind` }] })],
]

function doubled(count: number): string {
  return `${times(count, (at) => `cel.bind(a${at}, ${at === 0 ? "a + a" : `a${at - 1} + a${at - 1}`}, `)}a${count - 1}.size() > 0${")".repeat(count)}`
}

function searched(count: number, more: object, of: readonly object[] = []): object {
  const exactly = { deviceClassName: driver, allocationMode: "ExactCount", count: 1, ...(of.length > 0 && { selectors: of }) }
  return { requests: Array.from({ length: count }, (_, at) => ({ name: `r${at}`, exactly })), ...more }
}

function alternatives(): object {
  const option = (at: number) => ({ name: `o${at}`, deviceClassName: driver, allocationMode: "ExactCount", count: 4 })
  const firstAvailable = Array.from({ length: 8 }, (_, at) => option(at))
  return {
    requests: Array.from({ length: 32 }, (_, at) => ({ name: `r${at}`, firstAvailable })),
    constraints: [{ matchAttribute: `${driver}/kind` }],
  }
}

async function deviceSearch(attempt: Attempt): Promise<void> {
  const { admin, expect, expectStatus, expectTurns } = attempt
  const deviceClass = { metadata: { name: driver }, spec: { selectors: selectors("device.driver != 'none'") } }
  expectStatus("the class", await admin.create(`${resource}/deviceclasses`, deviceClass), 201)
  const devices = (at: number) =>
    Array.from({ length: 128 }, (_, device) => ({
      name: `d-${at}-${device}`,
      attributes: { kind: { string: `k${device % 31}` } },
      capacity: { memory: { value: "1Gi" } },
    }))
  for (let at = 0; at < 10; at++) expectStatus(`slice ${at}`, await admin.create(`${resource}/resourceslices`, slice(at, devices(at))), 201)
  for (const [at, [name, wanted]] of claims.entries()) {
    const claim = { metadata: { name: `claim-${at}` }, spec: { devices: wanted } }
    const created = await admin.create(`${resource}/namespaces/default/resourceclaims`, claim)
    expectStatus(`the claim of ${name}`, created, 201, ...refusals)
    if (created.status !== 201) continue
    for (let copy = 0; copy < 3; copy++) {
      const containers = [{ name: "c", image: "i", resources: { claims: [{ name: "gpu" }] } }]
      const resourceClaims = [{ name: "gpu", resourceClaimName: `claim-${at}` }]
      const pod = { metadata: { name: `p-${at}-${copy}` }, spec: { containers, resourceClaims } }
      expectStatus(`a pod of ${name}`, await admin.create(pods, pod), 201)
    }
    const isJudged = async () => /"PodScheduled"/.test((await admin.send({ path: `${pods}/p-${at}-0` })).text)
    expect(await isTrueWithin(isJudged, 20_000), `the pods of ${name} to be judged`, "that they are not")
    await pause(500)
    await expectTurns(name)
    await admin.send({ method: "DELETE", path: pods })
    await admin.send({ method: "DELETE", path: `${resource}/namespaces/default/resourceclaims` })
  }
}

/** Expressions of users, and the search of devices that they select. */
export const celRows: readonly Row[] = [
  { number: 76, name: "rules of custom resources that double what they have", server: "up", memory: 20, attempt: costlyRules },
  { number: 77, name: "claims of devices that there are not", server: "up", memory: 20, attempt: deviceSearch },
]
