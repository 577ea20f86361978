import { describeOverloads } from "../../testing/overload-suite.ts"
import { kubernetesEnvironment } from "../environment/kubernetes-environment.ts"
import { kubernetesLibraries } from "./libraries.ts"
import { patternCompiler } from "./regular-expressions.ts"

describeOverloads(kubernetesLibraries(patternCompiler()), kubernetesEnvironment())
