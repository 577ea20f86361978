import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { webhook } from "@pilothouse/runtime"

const trusted = "registry.example.com/"

/** An image without a registry is one of ours. */
export const ownRegistry = webhook("own-registry.images.example.com", {
  of: deployments,
  mutate(deployment) {
    for (const container of deployment.spec?.template?.spec?.containers ?? []) {
      if (container.image !== undefined && !container.image.includes("/")) container.image = `${trusted}${container.image}`
    }
    return deployment
  },
})

/** Nothing else runs; a tag that may change is worth a warning. */
export const trustedImages = webhook("trusted.images.example.com", {
  of: deployments,
  validate({ object, warn }) {
    const images = imagesOf(object)
    for (const image of images) if (image.endsWith(":latest")) warn(`${image} may change under the same name`)
    const strange = images.find((image) => !image.startsWith(trusted))
    return strange === undefined ? undefined : `expected an image of ${trusted}, found ${strange}`
  },
})

function imagesOf(deployment: Deployment | undefined): readonly string[] {
  return (deployment?.spec?.template?.spec?.containers ?? []).map(({ image = "" }) => image)
}
