package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeploymentTest {
    private static final Map<String, String> LABELS = Map.of("app", "web");

    @Test
    void becomesAvailable() throws Exception {
        try (Pilothouse cluster = Pilothouse.start("--nodes", "2");
                KubernetesClient client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(new File(cluster.kubeconfig))).build()) {
            Deployment web = new DeploymentBuilder()
                    .withNewMetadata().withName("web").withNamespace("default").endMetadata()
                    .withNewSpec()
                    .withNewSelector().withMatchLabels(LABELS).endSelector()
                    .withNewTemplate()
                    .withNewMetadata().withLabels(LABELS).endMetadata()
                    .withNewSpec().addNewContainer().withName("web").withImage("example/web").endContainer().endSpec()
                    .endTemplate()
                    .endSpec()
                    .build();
            client.resource(web).create();
            Deployment ready = client.resource(web).waitUntilReady(1, TimeUnit.MINUTES);
            assertEquals(1, ready.getStatus().getAvailableReplicas());
        }
    }
}
