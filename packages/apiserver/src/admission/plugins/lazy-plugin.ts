import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"

type Resources = readonly string[] | "all"

/**
 * A plugin that most servers do not turn on: its module is loaded for the first write that reaches it. `resources` are those that it looks at
 * ("pods", "pods/resize", "networking.k8s.io/ingresses"); "pods" stands for the pods themselves, without their subresources.
 */
export function lazyPlugin(name: string, resources: Resources, load: () => Promise<AdmissionPlugin>): AdmissionPlugin {
  let plugin: AdmissionPlugin | undefined
  const step = (attributes: AdmissionAttributes, run: (loaded: AdmissionPlugin) => void | Promise<void>) => {
    if (!concerns(attributes, resources)) return
    if (plugin !== undefined) return run(plugin)
    return attributes.server.clock.external(load(), `loading the admission plugin ${name}`).then((loaded) => {
      plugin ??= loaded
      return run(plugin)
    })
  }
  return {
    name,
    admit: (attributes) => step(attributes, (loaded) => loaded.admit?.(attributes)),
    validate: (attributes) => step(attributes, (loaded) => loaded.validate?.(attributes)),
  }
}

function concerns({ resource, subresource }: AdmissionAttributes, resources: Resources): boolean {
  if (resources === "all") return true
  const { group, plural } = resource.descriptor
  return resources.includes([group, plural, subresource].filter((part) => part !== "").join("/"))
}
