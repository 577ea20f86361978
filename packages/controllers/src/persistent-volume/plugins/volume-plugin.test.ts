import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { memoryPlugin } from "../testing/plugin.ts"
import { hostPathPlugin } from "./host-path-plugin.ts"
import { type VolumePluginUnderTest, volumePluginContract } from "./volume-plugin.contract.ts"

volumePluginContract("host-path", () => {
  const files = virtualFiles(new VirtualClock())
  const plugin = hostPathPlugin({ files, root: "/srv/volumes", provisioning: true }) as VolumePluginUnderTest["plugin"]
  return {
    plugin,
    holds: ({ spec }) => (files.facts(spec?.hostPath?.path ?? "")?.directory ? files.list(spec?.hostPath?.path ?? "") : undefined),
    put: ({ spec }, name) => files.write(`${spec?.hostPath?.path}/${name}`, "x"),
  }
})

volumePluginContract("in memory", () => {
  const plugin = memoryPlugin()
  const key = (path = "") => path.slice(1)
  return {
    plugin: plugin as VolumePluginUnderTest["plugin"],
    holds: ({ spec }) => plugin.store.get(key(spec?.nfs?.path)),
    put: ({ spec }, name) => void plugin.store.get(key(spec?.nfs?.path))?.push(name),
  }
})
