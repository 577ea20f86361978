import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "@pilothouse/seams"
import { parseAllDocuments } from "yaml"
import { freePorts } from "../real/free-ports.ts"
import { createLoopbackService } from "./loopback-service.ts"
import { hasCondition, type LooseObject, type Operator, type StoryContext } from "./operator.ts"

const kueueVersion = "kueue.x-k8s.io/v1beta1"
const system = "kueue-system"
const certificates = "kueue-webhook-server-cert"
const service = "kueue-webhook-service"
const registration = "admissionregistration.k8s.io/v1"

interface Configuration extends LooseObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string; readonly service: object } }[]
}

/** Two Jobs for a quota that has room for one: its webhook suspends both, the first is admitted, and the second when the first is over. */
export const kueue: Operator = {
  name: "Kueue",
  component: "kueue",
  module: "sigs.k8s.io/kueue",
  definitions: ["config/components/crd/bases"],
  // Its webhooks are on the loopback.
  up: ["--exec"],
  async story(context) {
    const { create, find, list, expect } = context
    await install(context)
    await expect("its certificates are made", () => mountCertificates(context))
    for (const type of ["Mutating", "Validating"]) {
      await expect(`its authority is in the ${type}WebhookConfiguration`, async () => {
        const { webhooks = [] } = ((await find(registration, `${type}WebhookConfiguration`, nameOf(type))) ?? {}) as Configuration
        return webhooks.length > 0 && webhooks.every(({ clientConfig }) => (clientConfig.caBundle ?? "") !== "")
      })
    }
    const named = (name: string) => ({ metadata: { name } })
    const flavor = { apiVersion: kueueVersion, kind: "ResourceFlavor", ...named("plain") }
    await expect("its webhooks answer", async () => (await refusalOf(create(flavor))) === undefined)
    await expect("its webhook has added a finalizer", async () => {
      const { metadata } = (await find(kueueVersion, "ResourceFlavor", "plain"))!
      return metadata.finalizers?.includes("kueue.x-k8s.io/resource-in-use") === true
    })
    const flavors = [{ name: "plain", resources: [{ name: "cpu", nominalQuota: 2 }] }]
    const spec = { namespaceSelector: {}, resourceGroups: [{ coveredResources: ["cpu"], flavors }] }
    const negative = [{ name: "plain", resources: [{ name: "cpu", nominalQuota: "-1" }] }]
    const refused = { ...spec, resourceGroups: [{ coveredResources: ["cpu"], flavors: negative }] }
    await expect("its webhook refuses a negative quota", async () => {
      const refusal = await refusalOf(
        create({ apiVersion: kueueVersion, kind: "ClusterQueue", ...named("negative"), spec: refused } as never),
      )
      return refusal?.includes('admission webhook "vclusterqueue.kb.io" denied the request') === true
    })
    await create({ apiVersion: kueueVersion, kind: "ClusterQueue", ...named("cluster"), spec } as never)
    const local = { metadata: { name: "local", namespace: "default" }, spec: { clusterQueue: "cluster" } }
    await create({ apiVersion: kueueVersion, kind: "LocalQueue", ...local } as never)
    await expect("the ClusterQueue is Active", async () => hasCondition(await find(kueueVersion, "ClusterQueue", "cluster"), "Active"))
    const first = (await create(jobOf("first") as never)) as LooseObject
    await expect("its webhook has suspended the Job", async () => first.spec?.suspend === true)
    const workload = async (job: string): Promise<LooseObject | undefined> =>
      (await list(kueueVersion, "Workload", "default")).find(({ metadata }) => metadata.ownerReferences?.[0]?.name === job)
    await expect("the Workload of the first Job is Admitted", async () => hasCondition(await workload("first"), "Admitted"))
    await create(jobOf("second") as never)
    await expect(
      "the second waits or is Admitted after it",
      async () => hasCondition(await workload("second"), "QuotaReserved", "False") || hasCondition(await workload("second"), "Admitted"),
    )
    for (const name of ["first", "second"]) {
      await expect(`the ${name} Job completes`, async () => hasCondition(await find("batch/v1", "Job", `default/${name}`), "Complete"))
      await expect(`the Workload of the ${name} is Finished`, async () => hasCondition(await workload(name), "Finished"))
    }
  },
}

async function install({ directory, folder, kubeconfig, create, start }: StoryContext): Promise<void> {
  const [webhooks, health] = await freePorts(2)
  const configuration = {
    apiVersion: "config.kueue.x-k8s.io/v1beta1",
    kind: "Configuration",
    namespace: system,
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: "0" },
    webhook: { host: "127.0.0.1", port: webhooks, certDir: certificateFolder(directory) },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: true, webhookServiceName: service, webhookSecretName: certificates },
    integrations: { frameworks: ["batch/job"] },
    // Serves an API of its own, which has to be aggregated.
    featureGates: { VisibilityOnDemand: false },
  }
  const path = join(directory, "configuration.yaml")
  writeFileSync(path, JSON.stringify(configuration))
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: system } })
  await create({ apiVersion: "v1", kind: "Secret", metadata: { name: certificates, namespace: system } })
  await createLoopbackService(create, { name: service, namespace: system, port: webhooks! })
  for (const configuration of configurationsIn(folder)) await create(configuration as never)
  start({ args: [`--config=${path}`, "--zap-log-level=error"], environment: { KUBECONFIG: kubeconfig } })
}

function nameOf(type: string): string {
  return `kueue-${type.toLowerCase()}-webhook-configuration`
}

/** Those of its manifests, as its kustomization writes them: with its names, and not for pods of the system. */
function configurationsIn(folder: string): readonly Configuration[] {
  const path = join(folder, "config/components/webhook/manifests.yaml")
  const found = parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS() as Configuration)
  const outside = { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", system] }] }
  return found.map(({ webhooks = [], ...configuration }) => ({
    ...configuration,
    metadata: { name: `kueue-${configuration.metadata.name}` },
    webhooks: webhooks.map(({ clientConfig, ...webhook }) => ({
      ...webhook,
      clientConfig: { ...clientConfig, service: { ...clientConfig.service, name: service, namespace: system } },
      ...(/^[mv](pod|deployment|statefulset)\./.test(webhook.name) && { namespaceSelector: outside }),
    })),
  }))
}

/** Why an object was not created; undefined where it was. */
function refusalOf(created: Promise<unknown>): Promise<string | undefined> {
  return created.then(() => undefined, messageOf)
}

function certificateFolder(directory: string): string {
  return join(directory, "certificates")
}

/** Writes the Secret into the folder where its pod would have it mounted. */
async function mountCertificates({ directory, find }: StoryContext): Promise<boolean> {
  const { data = {} } = (await find("v1", "Secret", `${system}/${certificates}`)) ?? {}
  mkdirSync(certificateFolder(directory), { recursive: true })
  for (const [file, content] of Object.entries(data))
    writeFileSync(join(certificateFolder(directory), file), Buffer.from(content, "base64"))
  return data["tls.crt"] !== undefined
}

function jobOf(name: string): object {
  const container = { name: "work", image: "busybox", command: ["sleep", "2"], resources: { requests: { cpu: "2" } } }
  const metadata = { name, namespace: "default", labels: { "kueue.x-k8s.io/queue-name": "local" } }
  const template = { spec: { restartPolicy: "Never", containers: [container] } }
  return { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template } }
}
