import { isMirrorPod, podSecrets } from "@pilothouse/api"
import { type Pod, type ServiceAccount, serviceAccounts, type Volume } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
const volumePrefix = "kube-api-access-"
/** An hour, and a few seconds by which a token of this plugin is known. */
const tokenSeconds = 3607

type Spec = NonNullable<Draft<Pod>["spec"]>

/** Gives every pod a service account, and a projected volume with its token and the API server's CA, at the path where in-cluster clients read them. */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  admit(attributes) {
    const { operation, resource, subresource, object } = attributes
    if (operation !== "CREATE" || resource.descriptor.group !== "" || resource.descriptor.plural !== "pods" || subresource !== "") return
    const pod = object as Draft<Pod>
    if (pod.spec === undefined) return
    // A mirror pod shows what a kubelet runs by itself: nothing here can be changed about it.
    if (isMirrorPod(pod)) return refuseMirror(attributes, pod.spec)
    pod.spec.serviceAccountName ||= "default"
    pod.spec.serviceAccount = pod.spec.serviceAccountName
    const account = accountOf(attributes, pod.spec.serviceAccountName)
    if (mounts(pod.spec, account)) mountToken(pod.spec, attributes)
    if ((pod.spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0) {
      pod.spec.imagePullSecrets = (account.imagePullSecrets ?? []).map((secret) => ({ ...secret }))
    }
  },
}

/** What a kubelet runs by itself has nothing of the API's. */
function refuseMirror(attributes: AdmissionAttributes, spec: Spec): void {
  const reason = (what: string) => refusal(attributes, `a mirror pod may not ${what}`)
  if ((spec.serviceAccountName ?? "") !== "") throw reason("reference service accounts")
  if (podSecrets({ spec }).length > 0) throw reason("reference secrets")
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
    throw reason("use ServiceAccountToken volume projections")
  }
}

function accountOf(attributes: AdmissionAttributes, name: string): ServiceAccount {
  const { server, namespace } = attributes
  const account = readObject(server.storage, server.registry.of(serviceAccounts), namespace, name)
  if (account !== undefined) return account
  throw refusal(attributes, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`)
}

function mounts(spec: Spec, account: ServiceAccount): boolean {
  return spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true
}

function mountToken(spec: Spec, { server }: AdmissionAttributes): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))?.name
  const name = present ?? `${volumePrefix}${server.random.letters(5)}`
  let used = false
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    if (container.volumeMounts?.some((mount) => mount.mountPath === mountPath)) continue
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }]
    used = true
  }
  if (used && present === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)]
}

function tokenVolume(name: string): Draft<Volume> {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
      ],
      defaultMode: 420,
    },
  }
}
