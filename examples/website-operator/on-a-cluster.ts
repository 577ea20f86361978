// On the cluster of your kubeconfig: node tools/run.js examples/website-operator/on-a-cluster.ts
import { manager } from "@pilothouse/runtime"
import { websiteOperator } from "./controller.ts"

await manager({ controllers: [websiteOperator] }).main()
