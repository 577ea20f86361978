import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../../testing/server.ts"
import { privilegedPolicy } from "./checks/policy.ts"

const label = (name: string) => `pod-security.kubernetes.io/${name}`
const labels = (policy: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(policy).map(([name, value]) => [label(name), value]))
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } })
const pods = "/api/v1/namespaces/team/pods"
const baselineViolation = "host namespaces (hostPID=true)"

everyWay("PodSecurity", (testServer) => {
  const withNamespace = async (policy: Readonly<Record<string, string>>, options: Parameters<typeof testServer>[0] = {}) => {
    const api = testServer(options)
    objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "team", labels: labels(policy) } }), 201)
    return api
  }
  const relabel = (api: Awaited<ReturnType<typeof withNamespace>>, policy: Readonly<Record<string, string | null>>) => {
    const changed = Object.fromEntries(Object.entries(policy).map(([name, value]) => [label(name), value]))
    return api.patch("/api/v1/namespaces/team", "merge", { metadata: { labels: changed } })
  }

  test("refuses a pod that violates what its namespace enforces", async () => {
    const api = await withNamespace({ enforce: "restricted" })
    expect(statusIn(await api.post(pods, pod("p")))).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'pods "p" is forbidden: violates PodSecurity "restricted:latest": ' +
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    })
  })

  test("refuses a pod of a namespace that does not exist: nothing says what it enforces", async () => {
    const api = testServer({ admission: { disable: ["NamespaceLifecycle", "ServiceAccount"] } })
    expect(statusIn(await api.post(pods, pod("p", { hostPID: true })))).toMatchObject({
      code: 500,
      message: 'Internal error occurred: failed to lookup namespace "team"',
    })
  })

  test("warns of a pod and of a template that violate what it warns of, and admits both", async () => {
    const api = await withNamespace({ warn: "baseline", "warn-version": "v1.30" })
    const warning = `299 - "would violate PodSecurity \\"baseline:v1.30\\": ${baselineViolation}"`
    expect((await api.post(pods, pod("p", { hostPID: true }))).headers.warning).toBe(warning)
    const { metadata: _metadata, ...template } = pod("", { hostPID: true })
    const spec = { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, ...template } }
    const made = await api.post("/apis/apps/v1/namespaces/team/deployments", { metadata: { name: "d" }, spec })
    expect([made.status, made.headers.warning]).toEqual([201, warning])
  })

  test("an update of a pod is looked at where it brings another image", async () => {
    const api = await withNamespace({})
    objectIn(await api.post(pods, pod("p", { hostPID: true })), 201)
    await relabel(api, { enforce: "baseline" })
    objectIn(await api.patch(`${pods}/p`, "merge", { metadata: { labels: { a: "b" } } }))
    const image = await api.patch(`${pods}/p`, "strategic", { spec: { containers: [{ name: "c", image: "other" }] } })
    expect(statusIn(image)).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${baselineViolation}`,
    })
  })

  test("labels that are no policy are refused, and those that were there before are not", async () => {
    const api = testServer()
    const refused = await api.post("/api/v1/namespaces", { metadata: { name: "team", labels: labels({ enforce: "strict" }) } })
    expect(statusIn(refused)).toMatchObject({
      code: 422,
      message: `Namespace "team" is invalid: metadata.labels[${label("enforce")}]: Invalid value: "strict": must be one of privileged, baseline, restricted`,
    })
  })

  test("a namespace that enforces more names the pods that it has already", async () => {
    const api = await withNamespace({})
    for (const name of ["b", "a", "c"]) objectIn(await api.post(pods, pod(name, { hostPID: true })), 201)
    objectIn(await api.post(pods, pod("good")), 201)
    const { headers } = await relabel(api, { enforce: "baseline", "enforce-version": "v1.35" })
    expect(headers.warning).toBe(
      '299 - "existing pods in namespace \\"team\\" violate the new PodSecurity enforce level \\"baseline:v1.35\\"", ' +
        '299 - "a (and 2 other pods): host namespaces"',
    )
    expect((await relabel(api, { warn: "restricted" })).headers.warning).toBeUndefined()
    expect((await relabel(api, { enforce: "privileged" })).headers.warning).toBeUndefined()
  })

  const configured = (exemptions: object, defaults: object = {}) => ({
    admission: {
      configuration: {
        PodSecurity: {
          defaults: { ...privilegedPolicy, ...defaults },
          exemptions: { usernames: [], namespaces: [], runtimeClasses: [], ...exemptions },
        },
      },
    },
  })

  test("a configuration has defaults for namespaces without labels", async () => {
    const api = await withNamespace({}, configured({}, { enforce: { level: "baseline", version: "latest" } }))
    expect(statusIn(await api.post(pods, pod("p", { hostPID: true }))).code).toBe(403)
  })

  test("namespaces, users and runtime classes can be exempt", async () => {
    const exempt = await withNamespace({ enforce: "baseline" }, configured({ namespaces: ["team"] }))
    objectIn(await exempt.post(pods, pod("p", { hostPID: true })), 201)
    expect((await relabel(exempt, { enforce: "restricted" })).headers.warning).toBe(
      '299 - "namespace \\"team\\" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored"',
    )
    const api = await withNamespace({ enforce: "baseline" }, configured({ usernames: ["eve"] }))
    objectIn(await api.as({ name: "eve", groups: ["system:masters"] })("POST", pods, { body: pod("p", { hostPID: true }) }), 201)
    expect(statusIn(await api.post(pods, pod("q", { hostPID: true }))).code).toBe(403)
    const sandboxed = await withNamespace({ enforce: "baseline" }, configured({ runtimeClasses: ["vm"] }))
    objectIn(await sandboxed.post("/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "vm" }, handler: "vm" }), 201)
    objectIn(await sandboxed.post(pods, pod("p", { hostPID: true, runtimeClassName: "vm" })), 201)
    expect(
      sandboxed.metrics.value("pod_security_exemptions_total", { request_operation: "create", resource: "pod", subresource: "" }),
    ).toBe(1)
  })
})
