import { checkDns1123Subdomain, controllerRef, type Descriptor, type KubeObject } from "@pilothouse/api"
import type { Pod, PodTemplateSpec } from "@pilothouse/api/core/v1"

/** Returns a new pod of the template, controlled by the owner. */
export function podFromTemplate(template: PodTemplateSpec, owner: KubeObject, kind: Descriptor): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: podNamePrefix(owner.metadata.name ?? ""),
      namespace: owner.metadata.namespace,
      labels,
      annotations,
      finalizers,
      ownerReferences: [controllerRef(owner, kind)],
    },
    spec: template.spec ?? { containers: [] },
  }
}

/** The dash is for readability: it is left out where the owner's name with it is not a valid prefix. */
function podNamePrefix(owner: string): string {
  const prefix = `${owner}-`
  return checkDns1123Subdomain(prefix, { prefix: true }).length === 0 ? prefix : owner
}
