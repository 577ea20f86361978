import { type Attempt, type Row, refusals } from "./row.ts"
import { all, patch, settle, template, v1 } from "./wide-objects.ts"

async function jobs(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const path = "/apis/batch/v1/namespaces/default/jobs"
  const job = (name: string, more: object) => ({ metadata: { name }, spec: { template, suspend: true, ...more } })
  const ranges = [
    "0-2147483647",
    all(50_000, (at) => at * 2).join(","),
    "0-99999,".repeat(5000) + "100000",
    "5-1",
    "-1--5",
    "9".repeat(100_000),
  ]
  for (const [at, completedIndexes] of ranges.entries()) {
    const more = { completionMode: "Indexed", completions: 100_000, parallelism: 10, backoffLimitPerIndex: 1, maxFailedIndexes: 10 }
    expectStatus(`job ${at}`, await admin.create(path, job(`j-${at}`, more)), 201, ...refusals)
    const patched = await patch(attempt, `${path}/j-${at}/status`, { status: { completedIndexes, failedIndexes: completedIndexes } })
    expectStatus(`status ${at}`, patched, 200, 404, ...refusals)
    await patch(attempt, `${path}/j-${at}`, { spec: { suspend: false } })
    await settle(attempt, `completed indexes ${completedIndexes.slice(0, 20)}`)
    await admin.send({ method: "DELETE", path: `${path}/j-${at}`, body: { propagationPolicy: "Background" } })
  }
  const big = job("big", { completionMode: "Indexed", completions: 2 ** 31 - 1, parallelism: 5, suspend: false })
  expectStatus("2^31 completions", await admin.create(path, big), 201, ...refusals)
  await settle(attempt, "a job of 2^31 completions")
}

async function cronJobs(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const path = "/apis/batch/v1/namespaces/default/cronjobs"
  const cron = (name: string, schedule: string, more: object = {}) => ({
    metadata: { name },
    spec: { schedule, jobTemplate: { spec: { template } }, ...more },
  })
  for (const [at, schedule] of ["0 0 31 2 *", "0 0 30 2 *", "59 23 29 2 1", "* * * * *"].entries()) {
    for (const timeZone of [undefined, "America/New_York", "Pacific/Apia"]) {
      const sent = all(30, (copy) =>
        admin.create(
          path,
          cron(`c-${at}-${timeZone === undefined ? "n" : timeZone.length}-${copy}`, schedule, {
            ...(timeZone && { timeZone }),
            startingDeadlineSeconds: 2 ** 31,
          }),
        ),
      )
      for (const answer of await Promise.all(sent)) expectStatus(schedule, answer, 201, ...refusals)
    }
    await settle(attempt, `schedule ${schedule}`)
  }
  await admin.send({ method: "DELETE", path })
  await settle(attempt, "the removal of CronJobs")
}

async function strategicMerge(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const path = "/apis/apps/v1/namespaces/default/deployments"
  const env = (prefix: string, count: number) => all(count, (at) => ({ name: `${prefix}${at}`, value: "v" }))
  const deployment = {
    metadata: { name: "wide" },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: template.metadata, spec: { containers: [{ name: "c", image: "i", env: env("E", 12_000) }] } },
    },
  }
  expectStatus("a wide Deployment", await admin.create(path, deployment), 201)
  const inside = (container: object) => ({ spec: { template: { spec: { containers: [{ name: "c", ...container }] } } } })
  const order = all(12_000, (at) => ({ name: `E${11_999 - at}` }))
  const patches: readonly (readonly [string, unknown])[] = [
    ["a reversed order", inside({ "$setElementOrder/env": order })],
    ["an order of others", inside({ "$setElementOrder/env": all(12_000, (at) => ({ name: `X${at}` })), env: env("X", 6000) })],
    ["12,000 deletions", inside({ env: all(12_000, (at) => ({ name: `E${at}`, $patch: "delete" })) })],
    ["replacements", inside({ env: [{ $patch: "replace" }, ...env("N", 12_000)] })],
    ["retained keys", inside({ $retainKeys: all(20_000, (at) => `k${at}`), env: env("N", 2) })],
    [
      "a primitive list",
      {
        metadata: {
          "$deleteFromPrimitiveList/finalizers": all(30_000, (at) => `f${at}`),
          "$setElementOrder/finalizers": all(30_000, (at) => `f${at}`),
        },
      },
    ],
    ["the same order twice", inside({ "$setElementOrder/env": [...order, ...order] })],
    ["nested directives", all(900, () => 0).reduce<object>((inner) => ({ $patch: "merge", spec: inner }), { a: 1 })],
  ]
  for (const [name, body] of patches) {
    expectStatus(name, await patch(attempt, `${path}/wide`, body, "strategic-merge"), 200, ...refusals, 500)
    await settle(attempt, `a strategic merge with ${name}`, 100)
  }
}

async function network(attempt: Attempt): Promise<void> {
  const { admin, expect, expectStatus, target } = attempt
  for (const cidrs of [["10.0.0.0/8"], ["0.0.0.0/1"], ["fd00::/64"], ["fd00::/8"], ["10.0.0.0/8", "fd00::/20"]]) {
    const { status, text } = await admin.create("/apis/networking.k8s.io/v1/servicecidrs", {
      metadata: { name: `c${cidrs.join("").replaceAll(/[^0-9a-f]/g, "")}` },
      spec: { cidrs },
    })
    expectStatus(`a range ${cidrs}`, { status, text }, 201, ...refusals)
    for (let at = 0; at < 5; at++)
      await admin.create(`${v1}/services`, { metadata: { generateName: "s-" }, spec: { ports: [{ port: 80 }] } })
    await settle(attempt, `the range ${cidrs}`, 300)
  }
  const addresses = all(15_000, (at) => ({ ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }))
  expectStatus("a Service", await admin.create(`${v1}/services`, { metadata: { name: "wide" }, spec: { ports: [{ port: 80 }] } }), 201)
  expectStatus(
    "Endpoints",
    await admin.create(`${v1}/endpoints`, {
      metadata: { name: "wide" },
      subsets: [{ addresses, ports: all(100, (at) => ({ name: `p${at}`, port: at + 1 })) }],
    }),
    201,
    ...refusals,
  )
  await settle(attempt, "15,000 addresses", 3000)
  const before = target.descriptors
  for (let at = 0; at < 5; at++) {
    const ports = all(2000, (port) => ({ name: `p${port}`, port: port + 1000, protocol: port % 2 === 0 ? "TCP" : "UDP" }))
    expectStatus(
      "a balancer",
      await admin.create(`${v1}/services`, {
        metadata: { name: `lb-${at}` },
        spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, selector: { a: "b" }, ports },
      }),
      201,
      ...refusals,
    )
  }
  await settle(attempt, "balancers of 10,000 ports", 8000)
  expect(target.descriptors - before < 3000, "fewer than 3,000 descriptors for balancers", target.descriptors - before)
  for (let at = 0; at < 5; at++) await admin.send({ method: "DELETE", path: `${v1}/services/lb-${at}` })
  await settle(attempt, "their removal", 5000)
}

const expressions = (count: number, operator: string) =>
  all(count, (at) => ({
    key: `k${at}`,
    operator,
    ...(operator === "In" && { values: ["a", "b"] }),
    ...(operator === "Gt" && { values: [`${at}`] }),
  }))
/** What of a pod may be long. */
const widePods: readonly (readonly [string, object])[] = [
  ["tolerations", { tolerations: all(20_000, (at) => ({ key: `k${at}`, operator: "Exists" })) }],
  [
    "node terms",
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: all(3000, () => ({ matchExpressions: expressions(4, "NotIn").map((one) => ({ ...one, values: ["x"] })) })),
          },
        },
      },
    },
  ],
  [
    "preferred terms",
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: all(3000, (at) => ({
            weight: (at % 100) + 1,
            preference: { matchExpressions: expressions(3, "Exists") },
          })),
        },
      },
    },
  ],
  ["node selectors", { nodeSelector: Object.fromEntries(all(30_000, (at) => [`k${at}`, "v"])) }],
  [
    "ports of the host",
    { containers: [{ name: "c", image: "i", ports: all(10_000, (at) => ({ containerPort: at + 1, hostPort: at + 1 })) }] },
  ],
  ["scheduling gates", { schedulingGates: all(10_000, (at) => ({ name: `g${at}` })) }],
  [
    "extended resources",
    {
      containers: [{ name: "c", image: "i", resources: { limits: Object.fromEntries(all(15_000, (at) => [`example.com/r${at}`, "1"])) } }],
    },
  ],
  [
    "volumes",
    {
      volumes: all(8000, (at) => ({ name: `v${at}`, persistentVolumeClaim: { claimName: `c${at}` } })),
      containers: [{ name: "c", image: "i" }],
    },
  ],
  ["init containers", { initContainers: all(3000, (at) => ({ name: `i${at}`, image: "i", resources: { requests: { cpu: "1m" } } })) }],
]

async function scheduling(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const { spec } = template
  for (const [name, more] of widePods) {
    for (let copy = 0; copy < 5; copy++)
      expectStatus(
        `a pod with ${name}`,
        await admin.create(`${v1}/pods`, { metadata: { generateName: "p-" }, spec: { ...spec, ...more } }),
        201,
        ...refusals,
      )
    await settle(attempt, `pods with ${name}`, 2500)
    await admin.send({ method: "DELETE", path: `${v1}/pods` })
  }
  const taints = all(10_000, (at) => ({ key: `k${at}`, effect: "NoSchedule" }))
  expectStatus(
    "a node",
    await admin.create("/api/v1/nodes", {
      metadata: { name: "tainted", labels: Object.fromEntries(all(10_000, (at) => [`l${at}`, "v"])) },
      spec: { taints },
    }),
    201,
    ...refusals,
  )
  for (let copy = 0; copy < 20; copy++)
    await admin.create(`${v1}/pods`, {
      metadata: { generateName: "t-" },
      spec: { ...spec, tolerations: all(5000, (at) => ({ key: `k${at}`, operator: "Exists" })) },
    })
  await settle(attempt, "pods that tolerate a tainted node", 4000)
}

/** Objects of which every list is long, and what controllers and the scheduler make of them. */
export const wideObjectRows: readonly Row[] = [
  { number: 80, name: "indexes of Jobs without end", server: "up", memory: 20, attempt: jobs },
  { number: 81, name: "CronJobs of days that never come", server: "up", memory: 20, attempt: cronJobs },
  { number: 82, name: "strategic merges of long lists", server: "up", memory: 60, attempt: strategicMerge },
  { number: 88, name: "ranges, Endpoints and balancers of thousands", server: "up", memory: 60, attempt: network },
  { number: 89, name: "pods with long lists", server: "up", memory: 300, attempt: scheduling },
]
