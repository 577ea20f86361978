package example;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Kubernetes cluster for a test: API server, controllers, scheduler and nodes in one process. Closing it stops the cluster. */
public final class Pilothouse implements AutoCloseable {
    private final Process process;
    /** The path of its kubeconfig. */
    public final String kubeconfig;

    private Pilothouse(Process process, String kubeconfig) {
        this.process = process;
        this.kubeconfig = kubeconfig;
    }

    /** Starts a cluster of its own in memory and on free ports. PILOTHOUSE names the command, by default "npx @pilothouse/cli". */
    public static Pilothouse start(String... flags) throws IOException {
        String command = Optional.ofNullable(System.getenv("PILOTHOUSE")).orElse("npx @pilothouse/cli");
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        String directory = Files.createTempDirectory("pilothouse").toString();
        words.addAll(List.of("up", "--json", "--ephemeral", "--port", "0", "--no-discovery", "--data-dir", directory));
        words.addAll(List.of(flags));
        Process process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (line == null) throw new IOException("expected " + words + " to print one line of JSON, found that it ended");
        return new Pilothouse(process, new ObjectMapper().readTree(line).get("kubeconfig").asText());
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
