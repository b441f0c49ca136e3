"""What calls and conversations cost in money and time, and what bills say afterwards."""
