// On the cluster of your kubeconfig: node tools/run.js examples/address-book/on-a-cluster.ts --dry-run
import { manager } from "@pilothouse/runtime"
import { addressBook } from "./controller.ts"

await manager({
  controllers: [addressBook],
  dryRun: process.argv.includes("--dry-run"),
  leaderElection: { lease: "default/address-book" },
  port: 8080,
}).main()
