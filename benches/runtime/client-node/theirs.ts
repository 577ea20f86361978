// A program: the informer of pods of @kubernetes/client-node, measured.
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node"
import { measure } from "./measured.ts"

await measure(async (server) => {
  const told = { added: 0, changed: 0 }
  const config = new KubeConfig()
  config.loadFromClusterAndUser({ name: "c", server, skipTLSVerify: true }, { name: "u" })
  const core = config.makeApiClient(CoreV1Api)
  const informer = makeInformer(config, "/api/v1/pods", () => core.listPodForAllNamespaces())
  informer.on("add", () => told.added++)
  informer.on("update", () => told.changed++)
  return async () => {
    await informer.start()
    return { told: () => told, stop: () => informer.stop() }
  }
})
