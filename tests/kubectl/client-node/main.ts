// @kubernetes/client-node against `pilothouse up`: its three integration scenarios that need no containers, told again, and the example of examples/own-client.
// A process of its own: kubectl's steps hold up the one they run in, and a watch must not wait for them.
import { KubeConfig } from "@kubernetes/client-node"
import { startCluster } from "../cluster.ts"
import { deploymentsAreWatched } from "./deployments-are-watched.ts"
import { informerReconnects } from "./informer-reconnects.ts"
import { labelsAreReplaced } from "./labels-are-replaced.ts"
import { podIsWatched } from "./pod-is-watched.ts"
import { streamsAreServed } from "./streams.ts"

const scenarios = { labelsAreReplaced, podIsWatched, informerReconnects, deploymentsAreWatched, streamsAreServed }

await using cluster = await startCluster()
const config = new KubeConfig()
config.loadFromFile(cluster.kubeconfig)
for (const [name, scenario] of Object.entries(scenarios)) {
  const problem = await scenario(config).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  console.log(problem === undefined ? `ok client-node ${name}` : `FAILED client-node ${name}: ${problem}`)
}
