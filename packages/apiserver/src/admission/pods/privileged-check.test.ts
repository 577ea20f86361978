import { expect, test } from "vitest"
import { statusIn, testServer } from "../../testing/server.ts"

const privileged = { privileged: true }
const container = (securityContext?: object) => ({ name: "c", image: "i", ...(securityContext && { securityContext }) })
const core = "/api/v1/namespaces/default"
const labels = { app: "a" }
const template = { metadata: { labels }, spec: { containers: [container(privileged)] } }
const pod = (spec: object) => ({ metadata: { name: "p" }, spec })

async function causesOf(path: string, body: object): Promise<unknown> {
  const api = testServer("in process", { admission: { allowPrivileged: false } })
  const { code, details } = statusIn(await api.post(path, body))
  return [code, details?.causes?.map(({ field, message }) => `${field}: ${message}`)]
}

const refusedAt = (field: string) => [422, [`${field}.securityContext.privileged: Forbidden: disallowed by cluster policy`]]

test.each([
  ["a container", `${core}/pods`, pod({ containers: [container(privileged)] }), "spec.containers[0]"],
  [
    "an init container",
    `${core}/pods`,
    pod({ containers: [container()], initContainers: [{ ...container(privileged), name: "i" }] }),
    "spec.initContainers[0]",
  ],
  [
    "a template",
    "/apis/apps/v1/namespaces/default/deployments",
    { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } },
    "spec.template.spec.containers[0]",
  ],
  [
    "a template of Jobs",
    "/apis/batch/v1/namespaces/default/cronjobs",
    {
      metadata: { name: "c" },
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container(privileged)] } } } },
      },
    },
    "spec.jobTemplate.spec.template.spec.containers[0]",
  ],
])("%s may not be privileged", async (_what, path, body, field) => {
  expect(await causesOf(path, body)).toEqual(refusedAt(field))
})

test("processes of a Windows host are refused", async () => {
  const windows = { windowsOptions: { hostProcess: true } }
  const [, causes] = (await causesOf(`${core}/pods`, pod({ hostNetwork: true, securityContext: windows, containers: [container()] }))) as [
    number,
    readonly string[],
  ]
  expect(causes).toContain("spec: Forbidden: hostProcess containers are disallowed by cluster policy")
})

test("an ephemeral container may not be privileged", async () => {
  const api = testServer("in process", { admission: { allowPrivileged: false } })
  await api.post(`${core}/pods`, pod({ containers: [container()] }))
  const body = { spec: { ephemeralContainers: [{ ...container(privileged), name: "e" }] } }
  const headers = { "content-type": "application/strategic-merge-patch+json" }
  const answer = await api.as({ name: "admin", groups: ["system:masters"] })("PATCH", `${core}/pods/p/ephemeralcontainers`, {
    body,
    headers,
  })
  expect(statusIn(answer).details?.causes?.[0]?.field).toBe("spec.ephemeralContainers[0].securityContext.privileged")
})

test("other pods are admitted, and without the flag privileged ones too", async () => {
  const api = testServer("in process", { admission: { allowPrivileged: false } })
  expect((await api.post(`${core}/pods`, pod({ containers: [container()] }))).status).toBe(201)
  expect((await testServer().post(`${core}/pods`, pod({ containers: [container(privileged)] }))).status).toBe(201)
})
