import { X509Certificate } from "node:crypto"
import { messageOf } from "@pilothouse/seams"
import { binary } from "../../tools/components/index.ts"
import { Child } from "../real/child.ts"
import { freePorts } from "../real/free-ports.ts"
import { createLoopbackService } from "./loopback-service.ts"
import { hasCondition, type LooseObject, type Operator, type StoryContext } from "./operator.ts"

const version = "cert-manager.io/v1"
const namespace = "default"
/** Where its chart puts its webhook, and what of it. */
const [system, service] = ["cert-manager", "cert-manager-webhook"]
const registration = "admissionregistration.k8s.io/v1"

/** A self-signed authority, and a certificate that it issues; its webhook decides on each of them, and its cainjector makes it trusted. */
export const certManager: Operator = {
  name: "cert-manager",
  component: "cert-manager",
  module: "github.com/cert-manager/cert-manager",
  definitions: ["deploy/crds"],
  // Its Helm chart writes other labels.
  installed: (definition) => ({ ...definition, metadata: { name: definition.metadata.name! } }),
  // Its webhook is on the loopback.
  up: ["--exec"],
  async story(context) {
    const { kubeconfig, start, create, find, list, expect } = context
    const [metrics] = await freePorts(1)
    const flags = ["--leader-elect=false", `--metrics-listen-address=127.0.0.1:${metrics}`, "--v=0"]
    using _webhook = await startWebhook(context)
    start({ args: [`--kubeconfig=${kubeconfig}`, ...flags] })
    for (const type of ["Mutating", "Validating"]) {
      await expect(`its cainjector has put the authority into the ${type}WebhookConfiguration`, async () => {
        const { webhooks = [] } = ((await find(registration, `${type}WebhookConfiguration`, service)) ?? {}) as Configuration
        return webhooks.length > 0 && webhooks.every(({ clientConfig }) => (clientConfig.caBundle ?? "") !== "")
      })
    }
    const make = (kind: string, name: string, spec: object) =>
      create({ apiVersion: version, kind, metadata: { name, namespace }, spec } as never)
    const isReady = async (kind: string, name: string) => hasCondition(await find(version, kind, `${namespace}/${name}`), "Ready")
    const refusalOf = (name: string, spec: object) => make("Issuer", name, spec).then(() => undefined, messageOf)
    await expect("its webhook answers", async () => (await refusalOf("self", { selfSigned: {} })) === undefined)
    await expect("its webhook refuses an Issuer of no type", async () => {
      const refusal = await refusalOf("none", {})
      return refusal?.includes('admission webhook "webhook.cert-manager.io" denied the request') === true
    })
    await expect("a self-signed Issuer is Ready", () => isReady("Issuer", "self"))
    await make("Certificate", "root", { isCA: true, commonName: "root", secretName: "root", issuerRef: { name: "self" } })
    await expect("its Certificate is Ready", () => isReady("Certificate", "root"))
    await expect("its webhook has written the user into the CertificateRequest", async () => {
      const requests = await list(version, "CertificateRequest", namespace)
      // The controller leaves it empty.
      return requests.length > 0 && requests.every(({ spec }) => (spec?.username ?? "") !== "")
    })
    await make("Issuer", "authority", { ca: { secretName: "root" } })
    await make("Certificate", "web", { dnsNames: ["web.example.com"], secretName: "web", issuerRef: { name: "authority" } })
    await expect("a Certificate of the authority is Ready", () => isReady("Certificate", "web"))
    await expect("the authority has signed it", async () => {
      const [root, web] = await Promise.all(
        ["root", "web"].map(async (name) => certificate(await find("v1", "Secret", `${namespace}/${name}`))),
      )
      return web!.subjectAltName === "DNS:web.example.com" && web!.verify(root!.publicKey)
    })
  },
}

interface Configuration extends LooseObject {
  readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[]
}

/** The two programs beside its controller, with the objects that its chart writes for them. They end with what is returned. */
async function startWebhook({ create, kubeconfig, directory }: StoryContext): Promise<DisposableStack> {
  const [port = 0, health] = await freePorts(2)
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: system } })
  await createLoopbackService(create, { name: service, namespace: system, port })
  for (const type of ["Mutating", "Validating"] as const) await create(configurationOf(type) as never)
  const ca = { namespace: system, name: `${service}-ca`, dnsNames: `${service}.${system}.svc` }
  const dynamic = [`ca-secret-namespace=${ca.namespace}`, `ca-secret-name=${ca.name}`, `dns-names=${ca.dnsNames}`]
  const flags = { [service]: [`--secure-port=${port}`, `--healthz-port=${health}`, ...dynamic.map((flag) => `--dynamic-serving-${flag}`)] }
  const running = new DisposableStack()
  for (const [name, own] of Object.entries({ ...flags, "cert-manager-cainjector": ["--leader-elect=false"] })) {
    const program = binary("cert-manager", name)
    if (program === undefined) throw new Error(`expected ${name} in the component cert-manager: remove it from the cache and get it again`)
    const child = new Child({ name, program, directory, args: [`--kubeconfig=${kubeconfig}`, "--v=0", ...own] })
    running.defer(() => child.kill())
  }
  return running
}

function configurationOf(type: "Mutating" | "Validating"): object {
  const rule = { apiGroups: ["cert-manager.io", "acme.cert-manager.io"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"] }
  const path = { Mutating: "/mutate", Validating: "/validate" }[type]
  const webhook = {
    name: "webhook.cert-manager.io",
    rules: [{ ...rule, resources: ["*/*"] }],
    admissionReviewVersions: ["v1"],
    matchPolicy: "Equivalent",
    timeoutSeconds: 10,
    failurePolicy: "Fail",
    sideEffects: "None",
    clientConfig: { service: { name: service, namespace: system, path } },
  }
  const annotations = { "cert-manager.io/inject-ca-from-secret": `${system}/${service}-ca` }
  return { apiVersion: registration, kind: `${type}WebhookConfiguration`, metadata: { name: service, annotations }, webhooks: [webhook] }
}

function certificate(secret: LooseObject | undefined): X509Certificate {
  return new X509Certificate(Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64"))
}
