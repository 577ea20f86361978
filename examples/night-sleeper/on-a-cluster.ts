// On the cluster of your kubeconfig: node tools/run.js examples/night-sleeper/on-a-cluster.ts --dry-run
import { manager } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { nightSleeper } from "./controller.ts"

await manager({
  controllers: [nightSleeper],
  dryRun: process.argv.includes("--dry-run"),
})
  .run()
  .catch((error: unknown) => {
    // One line that says what to do, and no stack.
    console.error(messageOf(error))
    process.exitCode = 1
  })
