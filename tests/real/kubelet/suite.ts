// npm run test:real -- kubelet: a real kubelet joins `pilothouse up` as kubeadm lets it: by a bootstrap token, with a client certificate that is approved
// and signed for it and a serving certificate that an administrator approves.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { cached } from "../../../tools/components/index.ts"
import { ApiClient, type ApiRequest } from "../api-client.ts"
import { itemsIn, statusIn, until } from "../kcm/until.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { startUp, type UpCluster } from "../up-cluster.ts"
import { addressOfThisMachine, nodeName, type RealKubelet, startKubelet } from "./real-kubelet.ts"

export const suite: Suite = { skipReason, run }

function skipReason(): string | undefined {
  if (cached("kubelet", "1.36.3") === undefined) return "kubelet 1.36.3 is not cached: npm run components -- kubelet builds it"
  if (process.getuid?.() !== 0) return "a kubelet needs root"
  return addressOfThisMachine() === undefined ? "a kubelet needs an address that is not a loopback one" : undefined
}

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
const nodePath = `/api/v1/nodes/${nodeName}`
const [tokenId, tokenSecret] = ["abcdef", "0123456789abcdef"]

async function run({ tally }: SuiteContext): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-kubelet-"))
  try {
    await using cluster = await startUp(["--nodes", "1"], "kubelet-suite")
    const { url, ca, certificate } = accessOf(cluster)
    const admin = new ApiClient({ port: Number(new URL(url).port), ca, certificate })
    for (const [path, body] of bootstrapObjects) await admin.object({ verb: "POST", path, body })
    await using kubelet = await startKubelet({ server: url, ca, token: `${tokenId}.${tokenSecret}`, directory })
    await tally.group("a kubelet joins by bootstrap token", (group) => joins(group, admin, kubelet))
    await tally.group("its serving certificate", (group) => serves(group, admin, kubelet, ca))
    await tally.group("what it may do", (group) => mayDo(group, admin, kubelet))
    admin.close()
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Access {
  readonly url: string
  readonly ca: string
  /** The administrator's, with its key. */
  readonly certificate: string
}

function accessOf({ kubeconfig }: UpCluster): Access {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8"))
  const text = (data: string) => Buffer.from(data, "base64").toString()
  const { server, "certificate-authority-data": ca } = clusters[0].cluster
  const { "client-certificate-data": certificate, "client-key-data": key } = users[0].user
  return { url: server, ca: text(ca), certificate: text(certificate) + text(key) }
}

const rbac = "rbac.authorization.k8s.io"
const bindings = `/apis/${rbac}/v1/clusterrolebindings`
const binding = (name: string, role: string, group: string) => ({
  metadata: { name: `kubeadm:${name}` },
  roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: rbac, kind: "Group", name: group }],
})
const bootstrappers = "system:bootstrappers:kubeadm:default-node-token"
const automatic = "system:certificates.k8s.io:certificatesigningrequests"

/** What `kubeadm init` writes for nodes that join. */
const bootstrapObjects: readonly (readonly [path: string, body: object])[] = [
  [bindings, binding("kubelet-bootstrap", "system:node-bootstrapper", bootstrappers)],
  [bindings, binding("node-autoapprove-bootstrap", `${automatic}:nodeclient`, bootstrappers)],
  [bindings, binding("node-autoapprove-certificate-rotation", `${automatic}:selfnodeclient`, "system:nodes")],
  [
    "/api/v1/namespaces/kube-system/secrets",
    {
      metadata: { name: `bootstrap-token-${tokenId}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": tokenId,
        "token-secret": tokenSecret,
        "usage-bootstrap-authentication": "true",
        "auth-extra-groups": bootstrappers,
      },
    },
  ],
]

async function joins(group: Group, admin: ApiClient, { child }: RealKubelet): Promise<void> {
  await until(group, admin, {
    name: "its request is approved by its right and signed",
    path: requests,
    when: ({ value }) => requestsIn(value, "kube-apiserver-client-kubelet").some(({ status }) => isSigned(status)),
  })
  await until(group, admin, { name: "it registers its node", path: nodePath, when: ({ status }) => status === 200 })
  await until(group, admin, {
    name: "its node is ready",
    path: nodePath,
    when: (answer) => conditionsIn(answer.value).some(({ type, status }) => type === "Ready" && status === "True"),
  })
  await until(group, admin, {
    name: "it renews its Lease",
    path: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${nodeName}`,
    when: ({ status }) => status === 200,
  })
  await until(group, admin, {
    name: "its static pod has a mirror pod",
    path: `/api/v1/namespaces/default/pods/static-${nodeName}`,
    when: ({ value }) => JSON.stringify(value).includes("kubernetes.io/config.mirror"),
  })
  group.case("the kubelet runs", child.running ? undefined : child.output)
}

interface SigningRequest {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly signerName: string; readonly username: string }
  readonly status?: SigningStatus
}

interface SigningStatus {
  readonly certificate?: string
  readonly conditions?: readonly { readonly type: string; readonly reason?: string }[]
}

function requestsIn(value: unknown, signer: string): readonly SigningRequest[] {
  const { items = [] } = value as { readonly items?: readonly SigningRequest[] }
  return items.filter(({ spec }) => spec.signerName === `kubernetes.io/${signer}`)
}

function isSigned(status: SigningStatus = {}): boolean {
  return status.certificate !== undefined && status.conditions?.some(({ reason }) => reason === "AutoApproved") === true
}

function conditionsIn(value: unknown): readonly { readonly type: string; readonly status: string }[] {
  return (value as { status?: { conditions?: readonly { type: string; status: string }[] } }).status?.conditions ?? []
}

/** No controller approves serving certificates: an administrator does, and then the server's proxy and strict clients reach the kubelet. */
async function serves(group: Group, admin: ApiClient, kubelet: RealKubelet, ca: string): Promise<void> {
  const isAsked = (value: unknown) => requestsIn(value, "kubelet-serving").filter(({ status }) => !status?.certificate)
  await until(group, admin, { name: "it requests one", path: requests, when: ({ value }) => isAsked(value).length > 0 })
  const [pending] = isAsked((await admin.send({ verb: "GET", path: requests })).value)
  group.case("as its node", pending?.spec.username === `system:node:${nodeName}` ? undefined : JSON.stringify(pending))
  const path = `${requests}/${pending?.metadata.name}`
  const conditions = [{ type: "Approved", status: "True", reason: "Asked", message: "by a test" }]
  await admin.object({ verb: "PUT", path: `${path}/approval`, body: { ...pending, status: { conditions } } })
  await until(group, admin, { name: "it is signed once approved", path, when: (answer) => statusIn(answer).certificate !== undefined })
  const subject = await eventuallyTrusted(kubelet, ca)
  group.case("clients that trust the cluster trust it", subject === `system:node:${nodeName}` ? undefined : subject)
  const health = await admin.send({ verb: "GET", path: `${nodePath}/proxy/healthz` })
  group.case("the server's proxy reaches it", health.status === 200 ? undefined : `${health.status} ${JSON.stringify(health.value)}`)
  const pods = await admin.send({ verb: "GET", path: `${nodePath}/proxy/pods` })
  group.case("it tells the administrator its pods", JSON.stringify(pods.value).includes("static") ? undefined : `${pods.status}`)
}

/** The common name of the certificate that it serves with, once that is one of the cluster; else why not. */
async function eventuallyTrusted({ address, port }: RealKubelet, ca: string): Promise<string> {
  const end = performance.now() + 30_000
  for (;;) {
    const found = await new Promise<string>((resolve) => {
      const socket = connect({ host: address, port, ca }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.end()
      })
      socket.once("error", (error) => resolve(`not trusted: ${error.message}`))
    })
    if (!found.startsWith("not trusted") || performance.now() > end) return found
    await new Promise((resolve) => void setTimeout(resolve, 200))
  }
}

const secrets = "/api/v1/namespaces/default/secrets"

async function podWithSecret(admin: ApiClient): Promise<void> {
  for (const name of ["mounted", "other"]) await admin.object({ verb: "POST", path: secrets, body: { metadata: { name } } })
  const volumes = [{ name: "v", secret: { secretName: "mounted" } }]
  const spec = { nodeName, volumes, containers: [{ name: "app", image: "example/app:1" }] }
  await admin.object({ verb: "POST", path: "/api/v1/namespaces/default/pods", body: { metadata: { name: "bound" }, spec } })
}

/** Signed by a key that is gone; its common name is system:node:mynode. */
const otherRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHvMIGWAgEAMDQxFTATBgNVBAoMDHN5c3RlbTpub2RlczEbMBkGA1UEAwwSc3lz
dGVtOm5vZGU6bXlub2RlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/ADGHY5M
yNwlNGq3KyA+gXduhnXV1YZ0EWHPi5QuVrWcVWn+4pg7c6SWrWGFfZJxJYGvmcvK
GArQ6XuZBPIMCKAAMAoGCCqGSM49BAMCA0gAMEUCIQCGk4N18UpAveIVpRXNZnIJ
s4R8BJTRJg2YvulGq6afpAIgRIIOMF9ZrY7mRKeX6suMqJ6ZFPTJ9snNYe3T0fnG
Nw8=
-----END CERTIFICATE REQUEST-----
`
const otherNodes = {
  metadata: { name: "other-node" },
  spec: {
    signerName: "kubernetes.io/kubelet-serving",
    usages: ["digital signature", "server auth"],
    request: Buffer.from(otherRequest).toString("base64"),
  },
}

/** Its own certificate, with the rules of the Node authorizer and of NodeRestriction. */
async function mayDo(group: Group, admin: ApiClient, { certificates }: RealKubelet): Promise<void> {
  const pem = readFileSync(join(certificates, "kubelet-client-current.pem"), "utf8")
  const node = admin.withCertificate(pem)
  const [request] = requestsIn((await admin.send({ verb: "GET", path: requests })).value, "kubelet-serving")
  await podWithSecret(admin)
  const labels = { metadata: { labels: { "node-restriction.kubernetes.io/zone": "secure" } } }
  const rows: readonly (readonly [name: string, request: ApiRequest, status: number])[] = [
    ["reads its node", { verb: "GET", path: nodePath }, 200],
    ["does not read another", { verb: "GET", path: "/api/v1/nodes/node-1" }, 403],
    ["does not list Secrets", { verb: "GET", path: "/api/v1/secrets" }, 403],
    ["reads the Secret of a pod that is bound to it", { verb: "GET", path: `${secrets}/mounted` }, 200],
    ["does not read another", { verb: "GET", path: `${secrets}/other` }, 403],
    ["does not request a certificate of another node", { verb: "POST", path: requests, body: otherNodes }, 403],
    [
      "does not label itself into a restricted zone",
      { verb: "PATCH", path: nodePath, contentType: "application/merge-patch+json", body: labels },
      403,
    ],
    ["does not delete another", { verb: "DELETE", path: "/api/v1/nodes/node-1" }, 403],
    ["does not approve requests", { verb: "PUT", path: `${requests}/${request?.metadata.name}/approval`, body: request }, 403],
  ]
  for (const [name, sent, expected] of rows) {
    const { status, value } = await node.send(sent)
    group.case(name, status === expected ? undefined : `expected ${expected}, found ${status} ${JSON.stringify(value)}`)
  }
  node.close()
  const server = admin.withCertificate(readFileSync(join(certificates, "kubelet-server-current.pem"), "utf8"))
  const { status } = await server.send({ verb: "GET", path: nodePath })
  group.case("its serving certificate is none of a client", status === 401 ? undefined : `expected 401, found ${status}`)
  server.close()
  const pods = itemsIn(await admin.send({ verb: "GET", path: "/api/v1/namespaces/default/pods" }))
  group.note(
    `${pods.length} pods, ${requestsIn((await admin.send({ verb: "GET", path: requests })).value, "kubelet-serving").length} serving requests`,
  )
}
