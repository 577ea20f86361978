import { type KubeObject, resource } from "@pilothouse/api"
import { webhook } from "@pilothouse/runtime"

/** A registry that images may come from. v1alpha1 has one host, v1 a list of them. */
export interface Registry extends KubeObject {
  readonly spec: { readonly host?: string; readonly hosts?: readonly string[] }
}

export const registries = resource<Registry>({
  group: "images.example.com",
  version: "v1",
  kind: "Registry",
  plural: "registries",
  namespaced: false,
})

/** Objects of v1alpha1 are read and written as before, while v1 is what is stored. */
export const registryVersions = webhook("versions.images.example.com", {
  of: registries,
  convert(registry, { to }) {
    const { host = "", hosts = [host] } = registry["spec"] as Registry["spec"]
    registry["spec"] = to === "v1" ? { hosts } : { host: hosts[0] }
    return registry
  },
})
