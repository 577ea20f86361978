// Nothing here knows of Pilothouse: a script of one's own, with the client that it had before.
import { AppsV1Api, type KubeConfig } from "@kubernetes/client-node"

/** "default/web 3/3", for every Deployment. */
export async function readyDeployments(config: KubeConfig): Promise<readonly string[]> {
  const { items } = await config.makeApiClient(AppsV1Api).listDeploymentForAllNamespaces()
  return items.map(({ metadata, spec, status }) => {
    return `${metadata?.namespace}/${metadata?.name} ${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1}`
  })
}
