import { randomBytes } from "node:crypto"
import { type Attempt, type Row, refusals } from "./row.ts"
import { pause } from "./waiting.ts"
import { all, settle, v1 } from "./wide-objects.ts"

async function tables(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const column = (name: string, jsonPath: string) => ({ name, type: "string", jsonPath })
  const columns = [
    ".spec..a",
    ".spec.list[*].list[*].a",
    ".spec.list[?(@.a=='x')].list[?(@.a=='y')].a",
    "..*",
    ".spec.list[*]..a",
    ".spec[*][*][*][*]",
  ]
  const definition = {
    metadata: { name: "tables.second.example.com" },
    spec: {
      group: "second.example.com",
      names: { plural: "tables", kind: "Tab" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          storage: true,
          served: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          additionalPrinterColumns: [] as object[],
        },
      ],
    },
  }
  const usable: object[] = []
  for (const [at, path] of columns.entries()) {
    const trial = structuredClone(definition)
    trial.spec.versions[0]!.additionalPrinterColumns = [column(`c${at}`, path)]
    const { status } = await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", trial)
    if (status === 201) usable.push(...all(5, (copy) => column(`c${at}-${copy}`, path)))
  }
  definition.spec.versions[0]!.additionalPrinterColumns = usable
  expectStatus("the definition", await admin.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition), 201)
  await pause(1000)
  const list = all(150, () => ({ a: "x", list: all(150, () => ({ a: "y" })) }))
  for (let at = 0; at < 60; at++)
    expectStatus(
      "an object",
      await admin.create("/apis/second.example.com/v1/namespaces/default/tables", {
        apiVersion: "second.example.com/v1",
        kind: "Tab",
        metadata: { name: `t-${at}` },
        spec: { list },
      }),
      201,
    )
  await settle(attempt, "the objects")
  for (let copy = 0; copy < 3; copy++)
    expectStatus(
      "the table",
      await admin.send({
        path: "/apis/second.example.com/v1/namespaces/default/tables",
        headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
      }),
      200,
    )
  await settle(attempt, `a Table of ${usable.length} columns`)
}

async function continuing(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const token = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")
  const tokens = [
    token({ v: "meta.k8s.io/v1", rv: -1, start: "a" }),
    token({ v: "meta.k8s.io/v1", rv: 2 ** 60, start: "a" }),
    token({ v: "meta.k8s.io/v1", rv: 1, start: "../../secrets/kube-system/\u0000" }),
    token({ v: "meta.k8s.io/v1", rv: 1, start: "a".repeat(5000) }),
    token("[".repeat(4000)),
    token({ v: "meta.k8s.io/v1", rv: "1", start: { a: 1 } }),
    token('{"v":"meta.k8s.io/v1","rv":1,"__proto__":{"start":"x"}}'),
    randomBytes(3000).toString("base64url"),
    "%%%",
  ]
  for (const one of tokens) {
    expectStatus(
      `continue=${one.slice(0, 30)}`,
      await admin.send({ path: `${v1}/configmaps?limit=1&continue=${encodeURIComponent(one)}` }),
      200,
      410,
      ...refusals,
    )
    expectStatus(
      "with a watch",
      await admin.send({
        path: `${v1}/configmaps?limit=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&watch=1&continue=${encodeURIComponent(one)}`,
      }),
      200,
      410,
      504,
      ...refusals,
    )
  }
  for (const query of [
    "limit=-1",
    "limit=9999999999999999999999",
    "resourceVersion=-5",
    `resourceVersion=${"9".repeat(4000)}`,
    "resourceVersionMatch=Exact",
    "timeoutSeconds=1e99",
    "limit=0x10&limit=3",
  ])
    expectStatus(query, await admin.send({ path: `${v1}/configmaps?${query}` }), 200, 410, 504, ...refusals)
  await settle(attempt, "continue tokens", 100)
}

async function rights(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const rbac = "/apis/rbac.authorization.k8s.io/v1"
  const rules = all(3000, (at) => ({ apiGroups: [`g${at}`], resources: [`r${at}`], verbs: ["get"] }))
  for (let at = 0; at < 20; at++)
    expectStatus(
      "a role",
      await admin.create(`${rbac}/clusterroles`, { metadata: { name: `wide-${at}`, labels: { [`agg-${at % 3}`]: "yes" } }, rules }),
      201,
      ...refusals,
    )
  const aggregationRule = { clusterRoleSelectors: all(500, (at) => ({ matchLabels: { [`agg-${at % 3}`]: "yes" } })) }
  expectStatus(
    "an aggregated role",
    await admin.create(`${rbac}/clusterroles`, { metadata: { name: "sum" }, aggregationRule, rules: [] }),
    201,
    ...refusals,
  )
  await settle(attempt, "an aggregated role", 3000)
  expectStatus("an account", await admin.create(`${v1}/serviceaccounts`, { metadata: { name: "many" } }), 201)
  const subject = { kind: "ServiceAccount", name: "many", namespace: "default" }
  for (let at = 0; at < 20; at++)
    expectStatus(
      "a binding",
      await admin.create(`${rbac}/clusterrolebindings`, {
        metadata: { name: `b-${at}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `wide-${at}` },
        subjects: all(1000, (copy) => (copy === 0 ? subject : { ...subject, name: `s${copy}` })),
      }),
      201,
    )
  const writer = {
    metadata: { name: "writes-roles" },
    rules: [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] }],
  }
  expectStatus("the right to create roles", await admin.create(`${rbac}/clusterroles`, writer), 201)
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "writes-roles" }
  expectStatus(
    "its binding",
    await admin.create(`${rbac}/clusterrolebindings`, { metadata: { name: "writes-roles" }, roleRef, subjects: [subject] }),
    201,
  )
  const { text } = await admin.create(`${v1}/serviceaccounts/many/token`, { spec: {} })
  const headers = { authorization: `Bearer ${JSON.parse(text).status.token}` }
  await Promise.all(all(60, () => attempt.anonymous.send({ path: `${v1}/secrets`, headers })))
  await settle(attempt, "60 requests of an account of 60,000 rules")
  await attempt.anonymous.send({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    headers: { ...headers, "content-type": "application/json" },
    body: { spec: { namespace: "default" } },
  })
  await settle(attempt, "its rules review")
  const escalated = await attempt.anonymous.send({
    method: "POST",
    path: `${rbac}/clusterroles`,
    headers: { ...headers, "content-type": "application/json" },
    body: { metadata: { name: "mine" }, rules },
  })
  expectStatus("an escalation", escalated, 403)
  await settle(attempt, "an escalation", 100)
  const product = [{ apiGroups: all(300, (at) => `g${at}`), resources: all(300, (at) => `r${at}`), verbs: all(300, (at) => `v${at}`) }]
  const multiplied = await attempt.anonymous.send({
    method: "POST",
    path: `${rbac}/clusterroles`,
    headers: { ...headers, "content-type": "application/json" },
    body: { metadata: { name: "product" }, rules: product },
  })
  expectStatus("a role of 27 million rights", multiplied, 403)
  await settle(attempt, "a role of 27 million rights", 100)
}

async function certificates(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
  const pem = (bytes: Buffer) =>
    Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`).toString("base64")
  const length = (size: number) =>
    size < 128
      ? Buffer.of(size)
      : size < 0x1_0000
        ? Buffer.of(0x82, size >> 8, size & 255)
        : Buffer.of(0x83, size >> 16, (size >> 8) & 255, size & 255)
  const sequence = (inner: Buffer) => Buffer.concat([Buffer.of(0x30), length(inner.length), inner])
  let deep = Buffer.alloc(0)
  for (let at = 0; at < 20_000; at++) deep = at % 1 === 0 ? sequence(deep) : deep
  const bodies: readonly (readonly [string, string])[] = [
    ["nested sequences", pem(deep)],
    ["200,000 empty sequences", pem(sequence(Buffer.concat(all(200_000, () => Buffer.of(0x30, 0)))))],
    ["zeros", pem(Buffer.alloc(500_000))],
    ["a length that lies", pem(Buffer.of(0x30, 0x84, 0x7f, 0xff, 0xff, 0xff))],
    ["dashes", Buffer.from("-----BEGIN ".repeat(50_000)).toString("base64")],
    ["spaces", Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----${" \n".repeat(200_000)}`).toString("base64")],
  ]
  for (const [name, request] of bodies) {
    const csr = {
      metadata: { generateName: "c-" },
      spec: { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
    }
    expectStatus(`a request of ${name}`, await admin.create(path, csr), 201, ...refusals)
    await settle(attempt, `a certificate request of ${name}`, 300)
  }
  const audiences = all(20_000, (at) => `a${at}`)
  expectStatus("audiences", await admin.create(`${v1}/serviceaccounts/default/token`, { spec: { audiences } }), 201, ...refusals)
  expectStatus(
    "a review",
    await admin.create("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "a.b.".repeat(200_000), audiences } }),
    201,
    ...refusals,
  )
  expectStatus(
    "a review of rights",
    await admin.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: {
        user: "u",
        groups: all(40_000, (at) => `g${at}`),
        extra: Object.fromEntries(all(10_000, (at) => [`e${at}`, ["v"]])),
        resourceAttributes: { verb: "get", resource: "pods", fieldSelector: { rawSelector: "a=b,".repeat(20_000) } },
      },
    }),
    201,
    ...refusals,
  )
  const extra = Object.fromEntries(all(1500, (at) => [`Impersonate-Extra-k${at}`, "v"]))
  expectStatus(
    "an impersonation",
    await admin.send({ path: `${v1}/pods`, headers: { "impersonate-user": "u", ...extra } }),
    200,
    403,
    ...refusals,
  )
  await settle(attempt, "reviews", 300)
}

async function appliers(attempt: Attempt): Promise<void> {
  const { admin, expectStatus } = attempt
  const path = `${v1}/configmaps/owned`
  const data = Object.fromEntries(all(300, (at) => [`k${at}`, "v"]))
  for (let at = 0; at < 400; at++) {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owned" }, data }
    expectStatus(
      `applier ${at}`,
      await admin.send({
        method: "PATCH",
        path: `${path}?fieldManager=m${at}&force=true`,
        headers: { "content-type": "application/apply-patch+yaml" },
        body,
      }),
      200,
      201,
      ...refusals,
    )
  }
  await settle(attempt, "400 appliers of 300 fields")
  const conflicts = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "owned" },
    data: Object.fromEntries(all(300, (at) => [`k${at}`, "other"])),
  }
  expectStatus(
    "conflicts",
    await admin.send({
      method: "PATCH",
      path: `${path}?fieldManager=last`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: conflicts,
    }),
    409,
  )
  await settle(attempt, "120,000 conflicts")
}

/** Requests of which the server makes far more than what they say. */
export const wideRequestRows: readonly Row[] = [
  { number: 83, name: "Tables of custom resources with 30 columns", server: "up", memory: 200, attempt: tables },
  { number: 84, name: "continue tokens that are none", server: "up", memory: 20, attempt: continuing },
  { number: 86, name: "roles of thousands of rules", server: "up", memory: 100, attempt: rights },
  { number: 90, name: "certificate requests and reviews of megabytes", server: "up", memory: 20, attempt: certificates },
  { number: 91, name: "400 appliers of the same fields", server: "up", memory: 60, attempt: appliers },
]
