// On the cluster of your kubeconfig: node tools/run.js examples/night-sleeper/on-a-cluster.ts --dry-run
import { manager } from "@pilothouse/runtime"
import { nightSleeper } from "./controller.ts"

await manager({
  controllers: [nightSleeper],
  dryRun: process.argv.includes("--dry-run"),
}).main()
