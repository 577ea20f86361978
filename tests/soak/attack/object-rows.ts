import { type Attempt, type Row, refusals } from "./row.ts"
import { pause } from "./waiting.ts"

const apps = "/apis/apps/v1/namespaces/default"
const cronJobs = "/apis/batch/v1/namespaces/default/cronjobs"
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } }

/** Numbers that controllers counted up to. The pods are not awaited: the sets are removed while they grow. */
async function hugeNumbers({ admin, expectStatus }: Attempt): Promise<void> {
  const selector = { matchLabels: { a: "b" } }
  const set = { selector, template, replicas: 2 ** 31 - 1 }
  const rows: readonly (readonly [path: string, spec: object])[] = [
    [`${apps}/statefulsets`, { ...set, serviceName: "s", podManagementPolicy: "Parallel" }],
    [
      `${apps}/statefulsets`,
      { ...set, serviceName: "s", updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 ** 31 - 1 } } },
    ],
    [`${apps}/deployments`, set],
  ]
  for (const [index, [path, spec]] of rows.entries()) {
    expectStatus(path, await admin.create(path, { metadata: { name: `huge-${index}` }, spec }), 201)
    await pause(500)
    expectStatus(`${path}/huge-${index}`, await admin.send({ method: "DELETE", path: `${path}/huge-${index}` }), 200)
  }
}

/** Times that no clock has shown, which clients may write into a status. */
async function impossibleTimes({ admin, expectStatus }: Attempt): Promise<void> {
  const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } }
  for (const [index, lastScheduleTime] of ["0001-01-02T00:00:00Z", "0099-01-01T00:00:00Z", "1850-01-01T00:00:00Z"].entries()) {
    const name = `old-${index}`
    expectStatus(name, await admin.create(cronJobs, { metadata: { name }, spec: { schedule: "* * * * *", jobTemplate } }), 201)
    const headers = { "content-type": "application/merge-patch+json" }
    const patch = { method: "PATCH", path: `${cronJobs}/${name}/status`, headers, body: { status: { lastScheduleTime } } } as const
    expectStatus(`${name} of ${lastScheduleTime}`, await admin.send(patch), 200, 422)
  }
  await pause(2000)
}

/** Bodies in which something stands very often. */
async function repeatedParts({ admin, expectStatus, expectTurns }: Attempt): Promise<void> {
  const path = "/api/v1/namespaces/default/configmaps?dryRun=All"
  const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at)).join(",")
  const bodies: readonly (readonly [name: string, text: string])[] = [
    ["10,000 repetitions of a key", `{"metadata":{"name":"a"},${many(10_000, (at) => `"metadata":{"labels":{"a${at}":"1"}}`)}}`],
    [
      "a long key above unknown fields",
      `{"metadata":{"name":"a","ownerReferences":[{"${"k".repeat(100_000)}":{${many(2000, (at) => `"u${at}":1`)}}}]}}`,
    ],
    ["900,000 empty items", `{"metadata":{"name":"a","ownerReferences":[${many(900_000, () => "{}")}]}}`],
  ]
  for (const [name, text] of bodies) {
    const headers = { "content-type": "application/json" }
    expectStatus(name, await admin.send({ method: "POST", path, headers, body: text }), 201, ...refusals)
    await expectTurns(name)
  }
}

/** Small objects and bodies that controllers or the reader of bodies took too much for. */
export const objectRows: readonly Row[] = [
  { number: 31, name: "sets of 2^31 - 1 replicas", server: "up", memory: 60, attempt: hugeNumbers },
  { number: 32, name: "CronJobs that were last scheduled in the year 1", server: "up", memory: 10, attempt: impossibleTimes },
  { number: 33, name: "bodies of repeated keys, long keys and empty items", server: "up", attempt: repeatedParts },
]
