"""What a player who searches needs: worlds that agree with what a seat knows, and games played on from them."""
