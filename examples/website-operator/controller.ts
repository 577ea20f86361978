import { controllerRef } from "@pilothouse/api"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { controller, plan } from "@pilothouse/runtime"
import { type Website, websites } from "./websites.ts"

/** Runs every Website as a Deployment of its name, and counts in its status how many of the pods are ready. */
export const websiteOperator = controller("website-operator", {
  for: websites,
  owns: [deployments],
  observe: (key, read) => {
    const site = read.get(websites, key)
    return site && { site, deployment: read.get(deployments, key) }
  },
  decide: ({ site, deployment }) => {
    const made = plan()
    if (!isUpToDate(site, deployment)) made.apply(deploymentOf(site), "the Deployment is not what the Website says", { force: true })
    const ready = deployment?.status?.readyReplicas ?? 0
    if (site.status?.ready !== ready) made.status(site, { ready }, `${ready} of ${site.spec.replicas} pods are ready`)
    return made.steps.length > 0 ? made : made.nothing("the Deployment and the status are up to date")
  },
})

function isUpToDate({ spec }: Website, deployment: Deployment | undefined): boolean {
  return deployment?.spec?.replicas === spec.replicas && deployment.spec.template.spec?.containers[0]?.image === spec.image
}

function deploymentOf(site: Website): Deployment {
  const { name, namespace } = site.metadata
  const labels = { website: name ?? "" }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, ownerReferences: [controllerRef(site, websites)] },
    spec: {
      replicas: site.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: site.spec.image }] } },
    },
  }
}
