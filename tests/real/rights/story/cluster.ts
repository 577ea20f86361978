import { generateKeyPairSync, sign } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { derIdentifier, derSequence, derSubject, derTags, derValue, pemText } from "@pilothouse/api/x509"
import { itemsIn, statusIn } from "../../kcm/until.ts"
import { containers, type Teller } from "./teller.ts"

/** Accounts, tokens, quotas, aggregated roles, certificates, nodes that come and fall silent, claims of devices, policies; last a namespace that ends. */
export async function cluster(told: Teller): Promise<void> {
  await accounts(told)
  await quota(told)
  await roles(told)
  await certificates(told)
  await devices(told)
  await policies(told)
  await silentNode(told)
}

async function accounts(told: Teller): Promise<void> {
  const metadata = { name: "legacy", annotations: { "kubernetes.io/service-account.name": "default" } }
  await told.create(told.path("v1/secrets"), { metadata, type: "kubernetes.io/service-account-token" })
  await told.until("a token Secret gets its token", told.path("v1/secrets/legacy"), ({ value }) =>
    JSON.stringify(value).includes('"token"'),
  )
  await told.patch(told.path("v1/configmaps/kube-root-ca.crt"), { data: { "ca.crt": "" } })
  await told.until("the CA is published again", told.path("v1/configmaps/kube-root-ca.crt"), ({ value }) =>
    JSON.stringify(value).includes("BEGIN"),
  )
  await told.remove(told.path("v1/serviceaccounts/default"))
  await told.until("the namespace's account is recreated", told.path("v1/serviceaccounts/default"), ({ status }) => status === 200)
}

async function quota(told: Teller): Promise<void> {
  await told.create(told.path("v1/resourcequotas"), { metadata: { name: "all" }, spec: { hard: { pods: "1000" } } })
  await told.until("a quota is counted", told.path("v1/resourcequotas/all"), (answer) => statusIn(answer).used !== undefined)
}

async function roles(told: Teller): Promise<void> {
  const path = told.cluster("rbac.authorization.k8s.io/v1/clusterroles")
  const label = { [`example.com/${told.namespace}`]: "true" }
  const part = {
    metadata: { name: `${told.namespace}-part`, labels: label },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }
  const whole = { metadata: { name: `${told.namespace}-whole` }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: label }] } }
  await told.create(path, part, whole)
  await told.until("a ClusterRole gets the rules of its parts", `${path}/${told.namespace}-whole`, ({ value }) =>
    JSON.stringify(value).includes('"pods"'),
  )
}

const requests = "certificates.k8s.io/v1/certificatesigningrequests"

/** One that is approved for its requester, and three that an administrator approves. */
async function certificates(told: Teller): Promise<void> {
  const node = { commonName: `system:node:${told.namespace}`, organizations: ["system:nodes"] }
  const rows: readonly (readonly [name: string, signer: string, usage: string, subject: Subject, dns?: string])[] = [
    ["kubelet", "kube-apiserver-client-kubelet", "client auth", node],
    ["serving", "kubelet-serving", "server auth", node, "a"],
    ["client", "kube-apiserver-client", "client auth", { commonName: "jane", organizations: [] }],
  ]
  for (const [name, signer, usage, subject, dns] of rows) {
    const path = told.cluster(requests)
    const own = `${told.namespace}-${name}`
    const spec = { signerName: `kubernetes.io/${signer}`, usages: ["digital signature", usage], request: requestOf(subject, dns) }
    await told.create(path, { metadata: { name: own }, spec })
    const approved = { conditions: [{ type: "Approved", status: "True", reason: "Asked", message: "by a test" }] }
    if (name !== "kubelet") await told.patch(`${path}/${own}/approval`, { status: approved })
    await told.until(`the certificate ${name} is signed`, `${path}/${own}`, (answer) => statusIn(answer).certificate !== undefined)
  }
}

interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

function requestOf(subject: Subject, dns?: string): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const names = derSequence(derValue(0x82, Buffer.from(dns ?? "")))
  const extension = derSequence(derIdentifier("2.5.29.17"), derValue(derTags.bytes, names))
  const extensions = derSequence(derIdentifier("1.2.840.113549.1.9.14"), derValue(derTags.set, derSequence(extension)))
  const info = derSequence(
    derValue(derTags.integer, Uint8Array.of(0)),
    derSubject(subject),
    publicKey.export({ type: "spki", format: "der" }),
    derValue(0xa0, ...(dns === undefined ? [] : [extensions])),
  )
  const signature = derValue(derTags.bits, Uint8Array.of(0), sign("sha256", info, privateKey))
  const pem = pemText("CERTIFICATE REQUEST", derSequence(info, derSequence(derIdentifier("1.2.840.10045.4.3.2")), signature))
  return Buffer.from(pem).toString("base64")
}

/** A claim that is made for a pod, and goes with it. */
async function devices(told: Teller): Promise<void> {
  const group = "resource.k8s.io/v1"
  await told.create(told.cluster(`${group}/deviceclasses`), { metadata: { name: `${told.namespace}-gpu` }, spec: {} })
  const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: `${told.namespace}-gpu` } }] }
  await told.create(told.path(`${group}/resourceclaimtemplates`), { metadata: { name: "gpu" }, spec: { spec: { devices } } })
  const pool = { name: told.namespace, generation: 1, resourceSliceCount: 1 }
  const slice = { driver: "gpu.example.com", pool, allNodes: true, devices: [{ name: "gpu-0" }] }
  await told.create(told.cluster(`${group}/resourceslices`), { metadata: { name: `${told.namespace}-slice` }, spec: slice })
  const spec = { containers, resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }] }
  await told.create(told.path("v1/pods"), { metadata: { name: "with-gpu" }, spec })
  const claims = told.path(`${group}/resourceclaims`)
  await told.until("a claim of devices is reserved", claims, (answer) =>
    itemsIn(answer).some((claim) => JSON.stringify(claim).includes("reservedFor")),
  )
  await told.remove(told.path("v1/pods/with-gpu"))
  await told.until("the claim goes with its pod", claims, (answer) => itemsIn(answer).length === 0)
}

async function policies(told: Teller): Promise<void> {
  const path = told.cluster("admissionregistration.k8s.io/v1/validatingadmissionpolicies")
  const resourceRules = [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }]
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression: "object.spec.replicas < 100" }] }
  await told.create(path, { metadata: { name: `${told.namespace}-policy` }, spec })
  await told.until("a policy is checked", `${path}/${told.namespace}-policy`, (answer) => statusIn(answer).observedGeneration === 1)
}

/** Its pod is not ready any more, is evicted, and is collected once the node is deleted. */
async function silentNode(told: Teller): Promise<void> {
  const path = told.cluster("v1/nodes")
  const name = `${told.namespace}-silent`
  await told.create(path, { metadata: { name } })
  const now = new Date().toISOString()
  await told.status(`${path}/${name}`, {
    conditions: [{ type: "Ready", status: "True", reason: "Said", message: "once", lastHeartbeatTime: now, lastTransitionTime: now }],
  })
  const tolerations = [{ operator: "Exists", tolerationSeconds: 2, effect: "NoExecute" }]
  await told.create(told.path("v1/pods"), { metadata: { name: "stranded" }, spec: { nodeName: name, containers, tolerations } })
  const ready = { type: "Ready", status: "True", lastTransitionTime: now }
  await told.status(told.path("v1/pods/stranded"), { phase: "Running", conditions: [ready] })
  await told.until("a silent node is unknown", `${path}/${name}`, (answer) => JSON.stringify(statusIn(answer)).includes('"Unknown"'))
  await told.until("its pod is evicted", told.path("v1/pods/stranded"), ({ value }) => JSON.stringify(value).includes("deletionTimestamp"))
  await delay(1000)
  await told.remove(`${path}/${name}`)
  await told.until("its pod is collected", told.path("v1/pods/stranded"), ({ status }) => status === 404)
}
