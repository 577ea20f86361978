// npm run example own-client, with $KUBECONFIG as `npm start` prints it.
import { KubeConfig } from "@kubernetes/client-node"
import { readyDeployments } from "./ready-deployments.ts"

const config = new KubeConfig()
config.loadFromDefault()
const lines = await readyDeployments(config)
console.log(lines.length === 0 ? "no Deployments yet: kubectl apply -f examples/web.yaml" : lines.join("\n"))
