import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { type Controller, type ControllerSpec, controller } from "../controller.ts"
import { plan } from "../plan/plan-builder.ts"

export function configMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data }
}

/** A controller of ConfigMaps that plans nothing by default. */
export function configMapController(spec: Partial<ControllerSpec<ConfigMap>> = {}): Controller {
  return controller<ConfigMap>("looker", {
    for: configMaps,
    observe: (key, read) => read.get(configMaps, key),
    decide: () => plan().nothing("it is only a test"),
    ...spec,
  })
}

/** The entries of ConfigMaps that the test created in the namespace default. */
export function inDefault(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => entry.startsWith("default/") && !entry.startsWith("default/kube-root-ca"))
}
