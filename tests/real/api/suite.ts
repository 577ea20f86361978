// npm run test:real -- api: the algebra of packages/api, judged by the real kube-apiserver.
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { judgeDefaults } from "./defaults.ts"
import { createLiveObjects } from "./live-objects.ts"
import { judgePatches } from "./patches.ts"
import { judgeProtobuf } from "./protobuf.ts"
import { judgeQuantities } from "./quantities.ts"
import { judgeQuantitySums } from "./quantity-sums.ts"
import { judgeSelectors } from "./selectors.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally, random }: SuiteContext): Promise<void> {
  // Without controllers nothing creates the service accounts that this plugin requires.
  await using plane = await startControlPlane({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] })
  const { client } = plane
  const live = await createLiveObjects(client)
  await judgeQuantities(tally, client, random.fork("quantities"))
  await judgeQuantitySums(tally, client, random.fork("sums"))
  await judgeSelectors(tally, client, random.fork("selectors"))
  await judgeDefaults(tally, live)
  await judgeProtobuf(tally, client, live, random.fork("protobuf"))
  await judgePatches(tally, client, live, random.fork("patches"))
}
